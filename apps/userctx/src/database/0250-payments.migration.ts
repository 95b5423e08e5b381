import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Products, orders, callbacks of payment providers, entitlements, and the payments of the sandbox provider. */
export class Payments1790000000250 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`drop table userctx.${table}`);
  }
}

const TABLES = [
  'sandbox_payment',
  'entitlement_version',
  'entitlement',
  'payment_callback',
  'payment_order',
  'payment_product',
];

const KIND_CHECK = `(kind = 'CLOUD_SPACE' and cloud_bytes > 0) or (kind = 'WATCH_PLAN' and cloud_bytes is null)`;

const STATEMENTS = [
  `create table userctx.payment_product (
    product_id text constraint payment_product_pk primary key,
    kind text not null,
    title text not null,
    amount bigint not null,
    currency text not null,
    cloud_bytes bigint,
    period_days integer not null,
    changed_at bigint not null,
    retired_at bigint,
    constraint payment_product_kind_check check (${KIND_CHECK}),
    constraint payment_product_price_check check (amount > 0 and period_days > 0)
  )`,

  `create table userctx.payment_order (
    order_id uuid constraint payment_order_pk primary key,
    family_id uuid not null,
    cid uuid,
    by text,
    payer_user_id uuid,
    product_id text not null,
    kind text not null,
    title text not null,
    amount bigint not null,
    currency text not null,
    cloud_bytes bigint,
    period_days integer not null,
    state text not null constraint payment_order_state_check check
      (state in ('CREATED', 'PENDING', 'PAID', 'FULFILLED', 'FAILED', 'CLOSED', 'REFUNDING', 'REFUNDED')),
    provider text,
    provider_ref text,
    payment_ref text,
    checkout_url text,
    created_at bigint not null,
    expires_at bigint not null,
    changed_at bigint not null,
    paid_at bigint,
    due_at bigint,
    attempts integer not null default 0,
    constraint payment_order_kind_check check (${KIND_CHECK}),
    constraint payment_order_price_check check (amount > 0 and period_days > 0)
  )`,
  `create index payment_order_of_family on userctx.payment_order (family_id, created_at desc, order_id desc)`,
  `create index payment_order_of_child on userctx.payment_order (cid) where cid is not null`,
  `create index payment_order_by on userctx.payment_order (by)`,
  `create index payment_order_payer on userctx.payment_order (payer_user_id) where payer_user_id is not null`,
  `create index payment_order_due on userctx.payment_order (due_at) where due_at is not null`,
  `create index payment_order_age on userctx.payment_order (created_at) where state in ('FAILED', 'CLOSED')`,

  `create table userctx.payment_callback (
    provider text not null,
    callback_id text not null,
    received_at bigint not null,
    constraint payment_callback_pk primary key (provider, callback_id)
  )`,
  `create index payment_callback_age on userctx.payment_callback (received_at)`,

  `create table userctx.entitlement (
    order_id uuid constraint entitlement_pk primary key,
    family_id uuid not null,
    cid uuid,
    product_id text not null,
    kind text not null,
    cloud_bytes bigint,
    starts_at bigint not null,
    ends_at bigint not null,
    constraint entitlement_period_check check (ends_at > starts_at)
  )`,
  `create index entitlement_of_family on userctx.entitlement (family_id, ends_at)`,
  `create index entitlement_ended on userctx.entitlement (ends_at)`,

  `create table userctx.entitlement_version (
    family_id uuid constraint entitlement_version_pk primary key,
    version bigint not null,
    next_change_at bigint
  )`,
  `create index entitlement_version_due on userctx.entitlement_version (next_change_at)
    where next_change_at is not null`,

  `create table userctx.sandbox_payment (
    order_id uuid constraint sandbox_payment_pk primary key
      constraint sandbox_payment_order_fk references userctx.payment_order on delete cascade,
    title text not null,
    amount bigint not null,
    currency text not null,
    state text not null constraint sandbox_payment_state_check check
      (state in ('WAITING', 'DELAYED', 'PAID', 'REFUSED', 'CLOSED', 'REFUNDED')),
    pays_at bigint
  )`,
];
