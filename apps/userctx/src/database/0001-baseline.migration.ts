import { eventBusSchemaSql } from '@family-watch/event-bus/event-bus-schema';
import type { ContractingMigration } from '@family-watch/platform/database/schema-compatibility';
import { accountErasureSchemaSql } from '@family-watch/platform/app/erasure/account-erasure-schema';
import { idempotencySchemaSql } from '@family-watch/platform/http/idempotency/idempotency-schema';
import type { QueryRunner } from 'typeorm';

/** The schema of userctx at release 1.0.0, in the order of its rooms. Times are Unix milliseconds. */
export class Baseline1790000000001 implements ContractingMigration {
  /** Builds before 1.0.0 store rows under other names, and would handle events again. */
  readonly appsMustKnow = Baseline1790000000001;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('No schema precedes the baseline'));
  }
}

const STATEMENTS = [
  ...eventBusSchemaSql('userctx'),
  idempotencySchemaSql('userctx'),
  ...accountErasureSchemaSql('userctx'),

  // Accounts
  `CREATE TABLE userctx.account (
    user_id uuid NOT NULL,
    area_code text NOT NULL,
    phone_number text NOT NULL,
    nickname text NOT NULL,
    avatar text,
    time_zone text NOT NULL,
    password_hash text,
    credential_version integer NOT NULL DEFAULT 1,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    suspended_at bigint,
    PRIMARY KEY (user_id),
    CONSTRAINT account_phone_key UNIQUE (area_code, phone_number)
  )`,
  `CREATE TABLE userctx.session (
    session_id uuid NOT NULL,
    user_id uuid NOT NULL,
    client text,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint,
    ended_by text,
    device_name text,
    network text,
    PRIMARY KEY (session_id),
    CONSTRAINT session_ending_whole_check CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
    CONSTRAINT session_account_fkey FOREIGN KEY (user_id) REFERENCES userctx.account ON DELETE CASCADE
  )`,
  `CREATE INDEX session_active ON userctx.session (user_id, created_at DESC, session_id DESC) WHERE ended_at IS NULL`,
  `CREATE INDEX session_expiry ON userctx.session (expires_at)`,
  `CREATE TABLE userctx.refresh_token (
    token_hash bytea NOT NULL,
    session_id uuid NOT NULL,
    issued_at bigint NOT NULL,
    used_at bigint,
    sealed_successor bytea,
    PRIMARY KEY (token_hash),
    CONSTRAINT refresh_token_use_whole_check CHECK ((used_at IS NULL) = (sealed_successor IS NULL)),
    CONSTRAINT refresh_token_session_fkey FOREIGN KEY (session_id) REFERENCES userctx.session ON DELETE CASCADE
  )`,
  `CREATE INDEX refresh_token_session ON userctx.refresh_token (session_id)`,
  `CREATE TABLE userctx.sms_challenge (
    area_code text NOT NULL,
    phone_number text NOT NULL,
    scene text NOT NULL,
    challenge_id uuid NOT NULL,
    digest bytea NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    consumed_at bigint,
    PRIMARY KEY (area_code, phone_number, scene),
    CONSTRAINT sms_challenge_id_key UNIQUE (challenge_id),
    CONSTRAINT sms_challenge_tries_bounded_check CHECK (tries BETWEEN 0 AND 5)
  )`,
  `CREATE INDEX sms_challenge_age ON userctx.sms_challenge (created_at)`,
  // The table is logged, because unlogged tables lose their rows in a crash, and a crash must not reset limits.
  `CREATE TABLE userctx.attempt_counter (
    key bytea NOT NULL,
    attempts integer NOT NULL,
    window_ends_at bigint NOT NULL,
    PRIMARY KEY (key)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX attempt_counter_window ON userctx.attempt_counter (window_ends_at)`,
  `CREATE TABLE userctx.signing_key (
    generation integer NOT NULL,
    kid text NOT NULL,
    public_key text NOT NULL,
    sealed_private_key bytea NOT NULL,
    signs_from bigint NOT NULL,
    PRIMARY KEY (generation),
    CONSTRAINT signing_key_kid_key UNIQUE (kid),
    CONSTRAINT signing_key_generation_positive_check CHECK (generation > 0)
  )`,
  `CREATE TABLE userctx.revocation (
    revocation_id uuid NOT NULL,
    session_id text,
    principal text,
    time bigint NOT NULL,
    PRIMARY KEY (revocation_id),
    CONSTRAINT revocation_scope_single_check CHECK (num_nonnulls(session_id, principal) = 1)
  )`,
  `CREATE INDEX revocation_time ON userctx.revocation (time)`,
  `CREATE TABLE userctx.sign_in_link (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    credential_version integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (token_hash),
    CONSTRAINT sign_in_link_account_fkey FOREIGN KEY (user_id) REFERENCES userctx.account ON DELETE CASCADE
  )`,
  `CREATE INDEX sign_in_link_of_account ON userctx.sign_in_link (user_id)`,
  `CREATE INDEX sign_in_link_expiry ON userctx.sign_in_link (expires_at)`,
  // Version 0: the person was never asked, so the consent is not granted. Transactions that rely on a consent lock its
  // row, so that a withdrawal waits.
  `CREATE TABLE userctx.consent (
    user_id uuid NOT NULL,
    purpose text NOT NULL,
    granted boolean NOT NULL,
    version integer NOT NULL,
    changed_at bigint,
    text_version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, purpose),
    CONSTRAINT consent_never_asked_check
      CHECK ((version = 0) = (changed_at IS NULL) AND (version > 0 OR NOT granted)),
    CONSTRAINT consent_account_fkey FOREIGN KEY (user_id) REFERENCES userctx.account ON DELETE CASCADE
  )`,
  `CREATE TABLE userctx.consent_change (
    user_id uuid NOT NULL,
    purpose text NOT NULL,
    version integer NOT NULL,
    granted boolean NOT NULL,
    time bigint NOT NULL,
    text_version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, purpose, version),
    CONSTRAINT consent_change_consent_fkey FOREIGN KEY (user_id, purpose)
      REFERENCES userctx.consent(user_id, purpose) ON DELETE CASCADE
  )`,
  // A receipt is kept without limit: the person may need it years later, and it contains nothing about anybody.
  `CREATE TABLE userctx.account_deletion (
    receipt_id uuid NOT NULL,
    user_id uuid,
    state text NOT NULL,
    requested_at bigint NOT NULL,
    erase_at bigint NOT NULL,
    erased_at bigint,
    completed_at bigint,
    due_at bigint,
    subjects jsonb,
    confirmations jsonb NOT NULL DEFAULT '{}',
    digest text,
    PRIMARY KEY (receipt_id),
    CONSTRAINT account_deletion_receipt_check CHECK ((state = 'COMPLETED') = (digest IS NOT NULL)),
    CONSTRAINT account_deletion_anonymous_check
      CHECK (state <> 'COMPLETED' OR (user_id IS NULL AND subjects IS NULL))
  )`,
  `CREATE UNIQUE INDEX account_deletion_of_account ON userctx.account_deletion (user_id) WHERE user_id IS NOT NULL`,
  `CREATE INDEX account_deletion_due ON userctx.account_deletion (due_at) WHERE due_at IS NOT NULL`,

  // Children
  `CREATE TABLE userctx.child (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    name text NOT NULL,
    phone_number text NOT NULL,
    area_code text NOT NULL,
    avatar text,
    birthday text,
    appellation text NOT NULL,
    gender smallint NOT NULL,
    weight smallint NOT NULL,
    height smallint NOT NULL,
    time_zone text NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    step_goal integer,
    did_at_deletion bigint,
    PRIMARY KEY (cid),
    CONSTRAINT child_gender_check CHECK (gender IN (0, 2, 3)),
    CONSTRAINT child_weight_check CHECK (weight BETWEEN 100 AND 200),
    CONSTRAINT child_height_check CHECK (height BETWEEN 100 AND 200)
  )`,
  `CREATE INDEX child_family ON userctx.child (family_id)`,
  `CREATE INDEX child_deleted ON userctx.child (deleted_at) WHERE deleted_at IS NOT NULL`,
  `CREATE INDEX child_did_at_deletion ON userctx.child (did_at_deletion) WHERE did_at_deletion IS NOT NULL`,

  // Families
  `CREATE TABLE userctx.family (
    family_id uuid NOT NULL,
    owner_user_id uuid NOT NULL,
    name text NOT NULL,
    version integer NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    dissolved_at bigint,
    owner_role smallint GENERATED ALWAYS AS (CASE WHEN dissolved_at IS NULL THEN 1::smallint END) STORED,
    PRIMARY KEY (family_id)
  )`,
  // A user owns at most one family. The index lets only one of two concurrent creations succeed.
  `CREATE UNIQUE INDEX family_owner_key ON userctx.family (owner_user_id) WHERE dissolved_at IS NULL`,
  `CREATE INDEX family_dissolved ON userctx.family (dissolved_at) WHERE dissolved_at IS NOT NULL`,
  `CREATE TABLE userctx.family_member (
    family_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role smallint NOT NULL,
    permissions text[] NOT NULL,
    child_permissions jsonb NOT NULL DEFAULT '{}',
    name text NOT NULL,
    area_code text NOT NULL,
    phone_number text NOT NULL,
    appellation text NOT NULL,
    identity_type smallint NOT NULL DEFAULT 0,
    version integer NOT NULL DEFAULT 1,
    joined_at bigint NOT NULL,
    PRIMARY KEY (family_id, user_id),
    CONSTRAINT family_member_role_key UNIQUE (family_id, user_id, role),
    CONSTRAINT family_member_role_check CHECK (role BETWEEN 1 AND 4),
    CONSTRAINT family_member_family_fkey FOREIGN KEY (family_id) REFERENCES userctx.family ON DELETE CASCADE
  )`,
  // Deferred, because one transaction creates a family and its owner, or replaces the owner.
  `ALTER TABLE userctx.family ADD CONSTRAINT family_owner_is_member_fkey FOREIGN KEY (family_id, owner_user_id,
    owner_role) REFERENCES userctx.family_member(family_id, user_id, role) DEFERRABLE INITIALLY DEFERRED`,
  `CREATE UNIQUE INDEX family_member_one_owner ON userctx.family_member (family_id) WHERE role = 1`,
  `CREATE INDEX family_member_user ON userctx.family_member (user_id)`,
  `CREATE TABLE userctx.family_child (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    did bigint,
    added_at bigint NOT NULL,
    PRIMARY KEY (cid),
    CONSTRAINT family_child_did_key UNIQUE (did),
    CONSTRAINT family_child_family_fkey FOREIGN KEY (family_id) REFERENCES userctx.family ON DELETE CASCADE
  )`,
  `CREATE INDEX family_child_family ON userctx.family_child (family_id)`,
  `CREATE TABLE userctx.family_invitation (
    invitation_id uuid NOT NULL,
    family_id uuid NOT NULL,
    code_digest text NOT NULL,
    role smallint NOT NULL,
    permissions text[] NOT NULL,
    child_permissions jsonb NOT NULL DEFAULT '{}',
    appellation text,
    identity_type smallint NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'PENDING',
    accepted_by uuid,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (invitation_id),
    CONSTRAINT family_invitation_code_key UNIQUE (code_digest),
    CONSTRAINT family_invitation_role_check CHECK (role BETWEEN 2 AND 4),
    CONSTRAINT family_invitation_state_check CHECK (state IN ('PENDING', 'ACCEPTED', 'CANCELLED')),
    CONSTRAINT family_invitation_family_fkey FOREIGN KEY (family_id) REFERENCES userctx.family ON DELETE CASCADE
  )`,
  `CREATE INDEX family_invitation_pending ON userctx.family_invitation (family_id) WHERE state = 'PENDING'`,
  `CREATE INDEX family_invitation_accepted_by ON userctx.family_invitation (accepted_by)
    WHERE accepted_by IS NOT NULL`,
  // The outcome of a claim is retained as long as the family exists.
  `CREATE TABLE userctx.ownership_claim (
    claim_id uuid NOT NULL,
    family_id uuid NOT NULL,
    claimant_user_id uuid NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    deadline bigint NOT NULL,
    ended_at bigint,
    ended_by text,
    PRIMARY KEY (claim_id),
    CONSTRAINT ownership_claim_state_check CHECK (state IN ('OPEN', 'REFUSED', 'WITHDRAWN', 'GRANTED')),
    CONSTRAINT ownership_claim_end_check CHECK ((state = 'OPEN') = (ended_at IS NULL)),
    CONSTRAINT ownership_claim_family_fkey FOREIGN KEY (family_id) REFERENCES userctx.family ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX ownership_claim_one_open ON userctx.ownership_claim (family_id) WHERE state = 'OPEN'`,
  `CREATE INDEX ownership_claim_due ON userctx.ownership_claim (deadline) WHERE state = 'OPEN'`,
  `CREATE INDEX ownership_claim_list ON userctx.ownership_claim (family_id, created_at, claim_id)`,
  `CREATE INDEX ownership_claim_claimant ON userctx.ownership_claim (claimant_user_id)`,
  `CREATE INDEX ownership_claim_ended_by ON userctx.ownership_claim (ended_by) WHERE ended_by IS NOT NULL`,

  // Contacts
  `CREATE TABLE userctx.contact_list (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 0,
    PRIMARY KEY (cid)
  )`,
  // `contact_order_key` is deferred, because inserting a contact between others changes several ranks in one
  // transaction.
  `CREATE TABLE userctx.contact (
    ref_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    user_id uuid,
    name text NOT NULL,
    phone_number text NOT NULL,
    area_code text NOT NULL,
    appellation text NOT NULL,
    identity_type smallint NOT NULL,
    role smallint NOT NULL,
    sos_order smallint NOT NULL,
    can_call boolean NOT NULL,
    can_chat boolean NOT NULL,
    can_video boolean NOT NULL,
    school_allowed boolean NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (ref_id),
    CONSTRAINT contact_order_key UNIQUE (cid, sos_order) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT contact_identity_type_check CHECK (identity_type BETWEEN 0 AND 6),
    CONSTRAINT contact_role_check CHECK (role BETWEEN 1 AND 4),
    CONSTRAINT contact_owner_has_account_check CHECK (role <> 1 OR user_id IS NOT NULL),
    CONSTRAINT contact_list_fkey FOREIGN KEY (cid) REFERENCES userctx.contact_list ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX contact_member_key ON userctx.contact (cid, user_id) WHERE user_id IS NOT NULL`,
  `CREATE UNIQUE INDEX contact_one_owner ON userctx.contact (cid) WHERE role = 1`,

  // Watches
  `CREATE TABLE userctx.watch (
    did bigint NOT NULL,
    public_key bytea NOT NULL,
    imei text NOT NULL,
    model text NOT NULL,
    firmware_version text NOT NULL,
    enrolled_at bigint NOT NULL,
    last_contact_at bigint NOT NULL,
    revoked_at bigint,
    PRIMARY KEY (did),
    CONSTRAINT watch_public_key_key UNIQUE (public_key),
    CONSTRAINT watch_did_range_check CHECK (did between 1 and 9007199254740991),
    CONSTRAINT watch_public_key_length_check CHECK (octet_length(public_key) = 32)
  )`,
  `CREATE INDEX watch_last_contact ON userctx.watch (last_contact_at)`,
  `CREATE INDEX watch_imei ON userctx.watch (imei)`,
  // One row per binding. The three partial unique indexes guarantee for concurrent bindings that a watch has one
  // child, a child has one watch, and one bound watch uses an IMEI.
  `CREATE TABLE userctx.watch_binding (
    binding_id uuid NOT NULL,
    did bigint NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    imei text NOT NULL,
    bound_at bigint NOT NULL,
    unbound_at bigint,
    PRIMARY KEY (binding_id),
    CONSTRAINT watch_binding_period_check CHECK (unbound_at is null or unbound_at >= bound_at),
    CONSTRAINT watch_binding_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX watch_binding_one_child ON userctx.watch_binding (did) WHERE unbound_at IS NULL`,
  `CREATE UNIQUE INDEX watch_binding_one_watch ON userctx.watch_binding (cid) WHERE unbound_at IS NULL`,
  `CREATE UNIQUE INDEX watch_binding_one_imei ON userctx.watch_binding (imei) WHERE unbound_at IS NULL`,
  `CREATE INDEX watch_binding_of_watch ON userctx.watch_binding (did, bound_at)`,
  // Null means unknown. The status has its own table, because it changes more often than the watch.
  `CREATE TABLE userctx.watch_status (
    did bigint NOT NULL,
    battery integer,
    charging boolean,
    worn boolean,
    signal integer,
    signal_max integer,
    step_total bigint,
    steps_at bigint,
    firmware_version text,
    reported_at bigint,
    last_seen bigint NOT NULL,
    online boolean,
    presence_at bigint,
    PRIMARY KEY (did),
    CONSTRAINT watch_status_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  ) WITH (fillfactor = 70)`,
  // Steps of a child per day in the child's time zone.
  `CREATE TABLE userctx.step_day (
    cid uuid NOT NULL,
    day date NOT NULL,
    steps integer NOT NULL,
    PRIMARY KEY (cid, day)
  ) WITH (fillfactor = 70)`,
  // The tables of codes contain only digests, so that a person who reads them cannot use a code. One row per watch: a
  // new code replaces the old one. The code of a watch that has since been bound to another child is invalid.
  `CREATE TABLE userctx.bind_code (
    did bigint NOT NULL,
    code_digest bytea NOT NULL,
    confirm_digest bytea NOT NULL,
    expires_at bigint NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (did),
    CONSTRAINT bind_code_digest_key UNIQUE (code_digest),
    CONSTRAINT bind_code_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  )`,
  `CREATE TABLE userctx.family_code (
    did bigint NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    code_digest bytea NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (did),
    CONSTRAINT family_code_digest_key UNIQUE (code_digest),
    CONSTRAINT family_code_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  )`,
  `CREATE INDEX family_code_expires ON userctx.family_code (expires_at)`,
  // One row per family and person, so that a rejection is retained over further requests.
  `CREATE TABLE userctx.family_application (
    application_id uuid NOT NULL,
    family_id uuid NOT NULL,
    applicant_user_id uuid NOT NULL,
    state text NOT NULL,
    cid uuid,
    did bigint,
    invitation_id uuid,
    name text NOT NULL,
    area_code text NOT NULL,
    phone_number text NOT NULL,
    appellation text NOT NULL,
    identity_type smallint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (application_id),
    CONSTRAINT family_application_once_key UNIQUE (family_id, applicant_user_id),
    CONSTRAINT family_application_state_check
      CHECK (state IN ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED', 'EXPIRED')),
    CONSTRAINT family_application_family_fkey FOREIGN KEY (family_id) REFERENCES userctx.family ON DELETE CASCADE
  )`,
  `CREATE INDEX family_application_due ON userctx.family_application (expires_at) WHERE state = 'PENDING'`,
  `CREATE INDEX family_application_list ON userctx.family_application (family_id, created_at, application_id)`,
  `CREATE INDEX family_application_own ON userctx.family_application (applicant_user_id, created_at, application_id)`,
  `CREATE INDEX family_application_child ON userctx.family_application (cid) WHERE cid IS NOT NULL`,
  `CREATE INDEX family_application_over ON userctx.family_application (changed_at)
    WHERE state IN ('APPROVED', 'CANCELLED', 'EXPIRED')`,
  // Nonces are stateless. Only used ones are stored, until they would have expired.
  `CREATE TABLE userctx.used_nonce (
    nonce bytea NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (nonce)
  )`,
  `CREATE INDEX used_nonce_expires ON userctx.used_nonce (expires_at)`,
  `CREATE TABLE userctx.enrolment_list_entry (
    imei text NOT NULL,
    maker_key bytea NOT NULL,
    listed_at bigint NOT NULL,
    PRIMARY KEY (imei),
    CONSTRAINT enrolment_list_entry_key_length_check CHECK (octet_length(maker_key) = 32)
  )`,

  // Watch settings
  // One row per resource that was ever changed, with the watch's newest acknowledgement. The acknowledgement is valid
  // for one binding, which is identified by the watch and the time of binding.
  `CREATE TABLE userctx.settings_version (
    cid uuid NOT NULL,
    resource text NOT NULL,
    family_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 0,
    answered_by bigint,
    answered_in bigint,
    answered_version integer,
    answered_status text,
    answered_reason text,
    applied_version integer,
    PRIMARY KEY (cid, resource),
    CONSTRAINT settings_version_resource_check
      CHECK (resource IN ('ALARM_CLOCK', 'SCHOOL_DISABLE', 'REJECT_STRANGER', 'DEVICE')),
    CONSTRAINT settings_version_answer_check
      CHECK ((num_nulls(answered_by, answered_in, answered_version, answered_status) IN (0, 4))
        AND (answered_version BETWEEN 1 AND version) AND (applied_version BETWEEN 1 AND answered_version))
  ) WITH (fillfactor = 70)`,
  `CREATE TABLE userctx.device_settings (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    location_mode text NOT NULL,
    temporary_mode text,
    temporary_until bigint,
    lost boolean NOT NULL,
    lost_message text,
    follow_until bigint,
    volume smallint,
    ring_mode text,
    brightness smallint,
    language text,
    power_on text,
    power_off text,
    location_schedule jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (cid),
    CONSTRAINT device_settings_temporary_check CHECK (num_nulls(temporary_mode, temporary_until) IN (0, 2)),
    CONSTRAINT device_settings_mode_check
      CHECK ((location_mode IN ('SAVE', 'NORMAL', 'FOLLOW')) AND (temporary_mode IN ('SAVE', 'NORMAL', 'FOLLOW'))),
    CONSTRAINT device_settings_follow_check CHECK (location_mode <> 'FOLLOW'),
    CONSTRAINT device_settings_volume_check CHECK (volume BETWEEN 0 AND 100),
    CONSTRAINT device_settings_ring_check CHECK (ring_mode IN ('RING', 'VIBRATE', 'RING_AND_VIBRATE', 'SILENT')),
    CONSTRAINT device_settings_brightness_check CHECK (brightness BETWEEN 0 AND 100),
    CONSTRAINT device_settings_power_check CHECK (num_nulls(power_on, power_off) IN (0, 2))
  )`,
  `CREATE TABLE userctx.alarm_clock (
    alarm_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    hour smallint NOT NULL,
    minute smallint NOT NULL,
    repeat text NOT NULL,
    weekdays smallint[] NOT NULL,
    skip_dates text[] NOT NULL,
    label text NOT NULL,
    enabled boolean NOT NULL,
    set_at bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (alarm_id),
    CONSTRAINT alarm_clock_hour_check CHECK (hour BETWEEN 0 AND 23),
    CONSTRAINT alarm_clock_minute_check CHECK (minute BETWEEN 0 AND 59),
    CONSTRAINT alarm_clock_repeat_check
      CHECK ((repeat IN ('ONCE', 'DAILY', 'CUSTOM')) AND ((repeat = 'CUSTOM') = (cardinality(weekdays) > 0)))
  )`,
  `CREATE INDEX alarm_clock_child ON userctx.alarm_clock (cid)`,
  `CREATE TABLE userctx.school_time (
    school_time_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    label text NOT NULL,
    starts text NOT NULL,
    ends text NOT NULL,
    weekdays smallint[] NOT NULL,
    holidays text[] NOT NULL,
    extra_dates text[] NOT NULL,
    allow_contacts uuid[] NOT NULL,
    enabled boolean NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (school_time_id),
    CONSTRAINT school_time_not_empty_check
      CHECK ((starts <> ends) AND ((cardinality(weekdays) + cardinality(extra_dates)) > 0))
  )`,
  `CREATE INDEX school_time_child ON userctx.school_time (cid)`,
  // The day on which school time is paused, in the child's time zone.
  `CREATE TABLE userctx.school_pause (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    paused_on text NOT NULL,
    PRIMARY KEY (cid)
  )`,
  // Rows are unique by the time on the watch's clock, so that a repeated report is stored once.
  `CREATE TABLE userctx.school_early_exit (
    exit_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    did bigint NOT NULL,
    time bigint NOT NULL,
    school_time_id uuid,
    reported_at bigint NOT NULL,
    PRIMARY KEY (exit_id),
    CONSTRAINT school_early_exit_once_key UNIQUE (cid, did, time)
  )`,
  `CREATE INDEX school_early_exit_list ON userctx.school_early_exit (cid, time DESC, exit_id DESC)`,
  `CREATE INDEX school_early_exit_age ON userctx.school_early_exit (reported_at)`,
  `CREATE TABLE userctx.stranger_rule (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    enabled boolean NOT NULL,
    PRIMARY KEY (cid)
  )`,
  `CREATE TABLE userctx.allowed_number (
    allow_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    area_code text NOT NULL,
    phone_number text NOT NULL,
    once boolean NOT NULL,
    expires_at bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (allow_id)
  )`,
  `CREATE INDEX allowed_number_child ON userctx.allowed_number (cid)`,
  `CREATE INDEX allowed_number_expiry ON userctx.allowed_number (expires_at)`,
  `CREATE TABLE userctx.blocked_call (
    call_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    did bigint NOT NULL,
    time bigint NOT NULL,
    area_code text,
    phone_number text,
    cause text NOT NULL,
    reported_at bigint NOT NULL,
    outcome text NOT NULL DEFAULT 'BLOCKED',
    PRIMARY KEY (call_id),
    CONSTRAINT blocked_call_once_key UNIQUE NULLS NOT DISTINCT (cid, did, time, area_code, phone_number),
    CONSTRAINT blocked_call_cause_check CHECK (cause IN ('STRANGER', 'SCHOOL_TIME')),
    CONSTRAINT blocked_call_outcome_check CHECK (outcome IN ('BLOCKED', 'ALLOWED'))
  )`,
  `CREATE INDEX blocked_call_age ON userctx.blocked_call (reported_at)`,
  `CREATE INDEX blocked_call_list ON userctx.blocked_call (cid, time DESC, call_id DESC) WHERE outcome = 'BLOCKED'`,

  // Child rules
  // A row without `rules` means that no rules were published yet.
  `CREATE TABLE userctx.child_rules (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 0,
    rules json,
    PRIMARY KEY (cid)
  )`,
  `CREATE INDEX child_rules_unpublished ON userctx.child_rules (cid) WHERE rules IS NULL`,

  // Friends
  `CREATE TABLE userctx.friend_code (
    did bigint NOT NULL,
    code_digest bytea NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (did),
    CONSTRAINT friend_code_digest_key UNIQUE (code_digest),
    CONSTRAINT friend_code_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  )`,
  `CREATE INDEX friend_code_expires ON userctx.friend_code (expires_at)`,
  // One row per pair of children, the smaller cid first. The row is retained as long as both children exist, so that a
  // block remains effective.
  `CREATE TABLE userctx.friendship (
    friendship_id uuid NOT NULL,
    cid_a uuid NOT NULL,
    cid_b uuid NOT NULL,
    family_a uuid NOT NULL,
    family_b uuid NOT NULL,
    state text NOT NULL,
    applicant text NOT NULL,
    applicant_did bigint NOT NULL,
    kept_out_by_a boolean NOT NULL,
    kept_out_by_b boolean NOT NULL,
    version integer NOT NULL,
    changed_at bigint NOT NULL,
    published_version integer NOT NULL DEFAULT 0,
    PRIMARY KEY (friendship_id),
    CONSTRAINT friendship_pair_key UNIQUE (cid_a, cid_b),
    CONSTRAINT friendship_state_check CHECK (state IN ('APPLIED', 'CONFIRMED', 'ACCEPTED', 'REJECTED', 'ENDED')),
    CONSTRAINT friendship_applicant_check CHECK (applicant IN ('A', 'B')),
    CONSTRAINT friendship_pair_order_check CHECK (cid_a < cid_b)
  )`,
  `CREATE INDEX friendship_of_b ON userctx.friendship (cid_b)`,

  // Locations
  // Radius is in metres. `numeric` preserves the degrees as the watch sent them. Flags are bits (see point-flag-
  // bits.ts). The key makes inserts idempotent: a watch has one fix of a type at any time.
  `CREATE TABLE userctx.location_point (
    did bigint NOT NULL,
    position_time bigint NOT NULL,
    point_type smallint NOT NULL,
    cid uuid NOT NULL,
    latitude numeric NOT NULL,
    longitude numeric NOT NULL,
    radius integer NOT NULL,
    flags smallint NOT NULL,
    received_at bigint NOT NULL,
    PRIMARY KEY (did, position_time, point_type),
    CONSTRAINT location_point_latitude_check CHECK (latitude BETWEEN -90 AND 90),
    CONSTRAINT location_point_longitude_check CHECK (longitude BETWEEN -180 AND 180)
  ) PARTITION BY RANGE (position_time)`,
  `CREATE INDEX location_point_track ON userctx.location_point (cid, position_time, point_type, did)`,
  // Contains the points of days without a partition: future days whose partition is not created yet, and wrong days
  // reported by watches with a wrong clock.
  `CREATE TABLE userctx.location_point_default PARTITION OF userctx.location_point DEFAULT`,
  `CREATE TABLE userctx.child_location (
    cid uuid NOT NULL,
    did bigint NOT NULL,
    position_time bigint NOT NULL,
    point_type smallint NOT NULL,
    latitude numeric NOT NULL,
    longitude numeric NOT NULL,
    radius integer NOT NULL,
    flags smallint NOT NULL,
    received_at bigint NOT NULL,
    newest_time bigint,
    newest_credible_time bigint,
    PRIMARY KEY (cid)
  ) WITH (fillfactor = 70)`,
  `CREATE TABLE userctx.location_ask (
    ask_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid NOT NULL,
    did bigint NOT NULL,
    by text NOT NULL,
    state text NOT NULL,
    asked_at bigint NOT NULL,
    deadline bigint NOT NULL,
    answer jsonb,
    PRIMARY KEY (ask_id),
    CONSTRAINT location_ask_state_check CHECK (state IN ('ASKED', 'ANSWERED', 'EXPIRED'))
  )`,
  `CREATE UNIQUE INDEX location_ask_one_pending ON userctx.location_ask (cid) WHERE state = 'ASKED'`,
  `CREATE INDEX location_ask_of_child ON userctx.location_ask (cid)`,
  `CREATE INDEX location_ask_age ON userctx.location_ask (asked_at)`,
  `CREATE INDEX location_ask_by ON userctx.location_ask (by)`,
  // The table has no foreign key to points, because points are deleted by partition and these rows slightly later.
  `CREATE TABLE userctx.location_wrong_report (
    did bigint NOT NULL,
    position_time bigint NOT NULL,
    point_type smallint NOT NULL,
    family_id uuid NOT NULL,
    cid uuid NOT NULL,
    reported_by text NOT NULL,
    comment text,
    reported_at bigint NOT NULL,
    PRIMARY KEY (did, position_time, point_type)
  )`,
  `CREATE INDEX location_wrong_report_child ON userctx.location_wrong_report (cid)`,
  `CREATE INDEX location_wrong_report_age ON userctx.location_wrong_report (reported_at)`,
  `CREATE INDEX location_wrong_report_reporter ON userctx.location_wrong_report (reported_by)`,
  // The row of an ended share is deleted, so that no data of the share is retained.
  `CREATE TABLE userctx.location_share (
    share_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid NOT NULL,
    token_digest bytea NOT NULL,
    created_by uuid NOT NULL,
    title text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (share_id),
    CONSTRAINT location_share_token_key UNIQUE (token_digest)
  )`,
  `CREATE INDEX location_share_family ON userctx.location_share (family_id, cid)`,
  `CREATE INDEX location_share_expiry ON userctx.location_share (expires_at)`,
  `CREATE INDEX location_share_maker ON userctx.location_share (created_by)`,

  // Positioning
  // The key is a keyed digest of the network's identifier. Degrees are double precision, because they are means and
  // not values that a watch sent. `scatter`: square metres. `heard_on`: days since 1970, no finer.
  `CREATE TABLE userctx.radio_network (
    network_key uuid NOT NULL,
    kind text NOT NULL,
    latitude double precision,
    longitude double precision,
    weight double precision,
    scatter double precision,
    learned boolean NOT NULL DEFAULT false,
    witnesses bigint[] NOT NULL DEFAULT '{}',
    strays smallint NOT NULL DEFAULT 0,
    moves smallint NOT NULL DEFAULT 0,
    blocked_until bigint,
    heard_on integer NOT NULL,
    support smallint NOT NULL DEFAULT 0,
    witness_weights double precision[] NOT NULL DEFAULT '{}',
    contradictions bigint[] NOT NULL DEFAULT '{}',
    contradicted_days smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (network_key),
    CONSTRAINT radio_network_kind_check CHECK (kind IN ('WIFI', 'CELL', 'AREA')),
    CONSTRAINT radio_network_place_check CHECK (num_nulls(latitude, longitude, weight, scatter) IN (0, 4)),
    CONSTRAINT radio_network_learned_check CHECK ((NOT learned) OR (latitude IS NOT NULL))
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX radio_network_age ON userctx.radio_network (heard_on)`,
  // A salt is retained for its day only. Afterwards the pseudonyms of witnesses cannot be resolved.
  `CREATE TABLE userctx.witness_salt (
    day integer NOT NULL,
    salt bytea NOT NULL,
    PRIMARY KEY (day)
  )`,

  // Fences
  // Fixes before `active_from`, the time at which the fence was created, moved or enabled, are not evaluated.
  `CREATE TABLE userctx.fence (
    fence_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    name text NOT NULL,
    shape jsonb NOT NULL,
    notify jsonb NOT NULL,
    dwell integer NOT NULL,
    windows jsonb NOT NULL,
    enabled boolean NOT NULL,
    version integer NOT NULL,
    active_from bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (fence_id)
  )`,
  `CREATE INDEX fence_child ON userctx.fence (cid, created_at, fence_id)`,
  // One row per child that has or had fences. `version` increases whenever the child's fences change and invalidates
  // compiled fences. The row stays when the last fence is deleted, so that versions are never reused. `last_time` is
  // the time of the newest evaluated fix.
  `CREATE TABLE userctx.fence_watch (
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    version integer NOT NULL,
    states json NOT NULL,
    last_time bigint,
    next_dwell bigint,
    next_arrival bigint,
    PRIMARY KEY (cid)
  ) WITH (fillfactor = 50)`,
  `CREATE INDEX fence_watch_due ON userctx.fence_watch (LEAST(next_dwell, next_arrival))`,
  `CREATE TABLE userctx.fence_event (
    fence_event_id uuid NOT NULL,
    cid uuid NOT NULL,
    family_id uuid NOT NULL,
    did bigint NOT NULL,
    fence_id uuid NOT NULL,
    fence_name text NOT NULL,
    type text NOT NULL,
    time bigint NOT NULL,
    late boolean NOT NULL,
    recorded_at bigint NOT NULL,
    PRIMARY KEY (fence_event_id),
    CONSTRAINT fence_event_type_check CHECK (type IN ('ENTERED', 'LEFT', 'DWELLED', 'NOT_ARRIVED', 'LEFT_EARLY'))
  )`,
  `CREATE INDEX fence_event_list ON userctx.fence_event (cid, time DESC, fence_event_id DESC)`,
  `CREATE INDEX fence_event_age ON userctx.fence_event (recorded_at)`,

  // Remote control
  // `due_at`: when the command expires unless its state changes.
  `CREATE TABLE userctx.remote_command (
    command_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid NOT NULL,
    did bigint NOT NULL,
    command text NOT NULL,
    state text NOT NULL,
    by text NOT NULL,
    queued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    due_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    reason text,
    PRIMARY KEY (command_id),
    CONSTRAINT remote_command_command_check CHECK (command IN ('SHUTDOWN', 'REBOOT', 'FIND')),
    CONSTRAINT remote_command_state_check
      CHECK (state IN ('QUEUED', 'SENT', 'ACKED', 'DONE', 'REJECTED', 'EXPIRED', 'CANCELLED'))
  )`,
  // A watch has at most one command of each kind that it has not begun.
  `CREATE UNIQUE INDEX remote_command_one_waiting ON userctx.remote_command (did, command)
    WHERE state IN ('QUEUED', 'SENT')`,
  `CREATE INDEX remote_command_of_watch ON userctx.remote_command (did, queued_at DESC, command_id DESC)`,
  `CREATE INDEX remote_command_of_child ON userctx.remote_command (cid)`,
  `CREATE INDEX remote_command_due ON userctx.remote_command (due_at) WHERE state IN ('QUEUED', 'SENT', 'ACKED')`,
  `CREATE INDEX remote_command_age ON userctx.remote_command (queued_at)`,
  `CREATE INDEX remote_command_by ON userctx.remote_command (by)`,

  // Sos
  // `next_step_at`: when the next step is due; null once a person has acknowledged.
  `CREATE TABLE userctx.sos (
    sos_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid NOT NULL,
    did bigint NOT NULL,
    state text NOT NULL,
    raised_at bigint NOT NULL,
    last_raised_at bigint NOT NULL,
    location jsonb,
    acknowledged_by text,
    acknowledged_at bigint,
    resolved_by text,
    resolved_at bigint,
    next_step_at bigint,
    is_last_location boolean NOT NULL DEFAULT false,
    PRIMARY KEY (sos_id),
    CONSTRAINT sos_state_check CHECK (state IN ('RAISED', 'NOTIFYING', 'ACKNOWLEDGED', 'RESOLVED'))
  )`,
  `CREATE UNIQUE INDEX sos_one_active ON userctx.sos (cid) WHERE state <> 'RESOLVED'`,
  `CREATE INDEX sos_of_child ON userctx.sos (cid, raised_at DESC, sos_id DESC)`,
  `CREATE INDEX sos_age ON userctx.sos (raised_at) WHERE state = 'RESOLVED'`,
  `CREATE INDEX sos_due ON userctx.sos (next_step_at) WHERE next_step_at IS NOT NULL`,
  `CREATE INDEX sos_acknowledged_by ON userctx.sos (acknowledged_by) WHERE acknowledged_by IS NOT NULL`,
  `CREATE INDEX sos_resolved_by ON userctx.sos (resolved_by) WHERE resolved_by IS NOT NULL`,
  // One row per call, identified by the watch and the time on its clock, so that a repeated call is recognized even
  // after its SOS is resolved.
  `CREATE TABLE userctx.sos_raise (
    did bigint NOT NULL,
    time bigint NOT NULL,
    sos_id uuid NOT NULL,
    PRIMARY KEY (did, time),
    CONSTRAINT sos_raise_sos_fkey FOREIGN KEY (sos_id) REFERENCES userctx.sos ON DELETE CASCADE
  )`,
  `CREATE INDEX sos_raise_of_sos ON userctx.sos_raise (sos_id)`,
  // Notifications with time and channel. A row without `ref_id` is a notification to everyone with the permission.
  `CREATE TABLE userctx.sos_step (
    sos_id uuid NOT NULL,
    step integer NOT NULL,
    channel text NOT NULL,
    at bigint NOT NULL,
    ref_id uuid,
    user_id uuid,
    PRIMARY KEY (sos_id, step, channel),
    CONSTRAINT sos_step_channel_check CHECK (channel IN ('APP', 'SMS')),
    CONSTRAINT sos_step_sos_fkey FOREIGN KEY (sos_id) REFERENCES userctx.sos ON DELETE CASCADE
  )`,
  // Each contact is notified once in turn; after the last one all are notified together.
  `CREATE UNIQUE INDEX sos_step_one_turn ON userctx.sos_step (sos_id, ref_id)
    WHERE channel = 'SMS' AND ref_id IS NOT NULL`,
  `CREATE INDEX sos_step_user ON userctx.sos_step (user_id) WHERE user_id IS NOT NULL`,
  // A row without `due_at` belongs to an SMS that was sent or abandoned.
  `CREATE TABLE userctx.alert_sms (
    alert_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid NOT NULL,
    ref_id uuid NOT NULL,
    about uuid NOT NULL,
    category text NOT NULL,
    time bigint NOT NULL,
    queued_at bigint NOT NULL,
    due_at bigint NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    avoided_provider text,
    PRIMARY KEY (alert_id)
  )`,
  `CREATE INDEX alert_sms_due ON userctx.alert_sms (due_at)`,
  `CREATE INDEX alert_sms_about ON userctx.alert_sms (about)`,

  // Sms
  `CREATE TABLE userctx.sms_message (
    message_id uuid NOT NULL,
    provider text NOT NULL,
    scene text NOT NULL,
    area_code text NOT NULL,
    state text NOT NULL,
    provider_message_id text,
    error_code text,
    cid uuid,
    alert jsonb,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (message_id),
    CONSTRAINT sms_message_state_check
      CHECK (state IN ('SENDING', 'ACCEPTED', 'REJECTED', 'REFUSED', 'UNAVAILABLE', 'DELIVERED', 'UNDELIVERED'))
  )`,
  `CREATE INDEX sms_message_age ON userctx.sms_message (created_at)`,
  `CREATE INDEX sms_message_at_provider ON userctx.sms_message (provider, provider_message_id)
    WHERE provider_message_id IS NOT NULL`,
  `CREATE INDEX sms_message_of_child ON userctx.sms_message (cid) WHERE cid IS NOT NULL`,

  // Access log
  // The access log of each child. The runtime role may only add entries. Two functions with the rights of the schema's
  // owner delete entries, and only those that may be deleted: entries of more than 30 days, and entries of erased
  // children.
  `CREATE TABLE userctx.child_read (
    cid uuid NOT NULL,
    sequence bigint NOT NULL,
    viewer text NOT NULL,
    kind text NOT NULL,
    hour bigint NOT NULL,
    recorded_at bigint NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (cid, sequence),
    CONSTRAINT child_read_once_key UNIQUE (cid, hour, viewer, kind)
  )`,
  `CREATE TABLE userctx.child_read_chain (
    cid uuid NOT NULL,
    first_sequence bigint NOT NULL DEFAULT 1,
    last_sequence bigint NOT NULL DEFAULT 0,
    base_hash bytea NOT NULL DEFAULT '\\x',
    last_hash bytea NOT NULL DEFAULT '\\x',
    oldest_at bigint,
    PRIMARY KEY (cid),
    CONSTRAINT child_read_chain_order_check CHECK (first_sequence <= last_sequence + 1)
  )`,
  `CREATE INDEX child_read_chain_oldest ON userctx.child_read_chain (oldest_at) WHERE oldest_at IS NOT NULL`,
  `CREATE FUNCTION userctx.delete_expired_child_reads(log_cid uuid, recorded_before bigint) RETURNS void
   LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    kept_sequence bigint;
    kept_at bigint;
    new_base bytea;
  BEGIN
    IF recorded_before > (extract(epoch FROM clock_timestamp()) - 30 * 86400) * 1000 THEN
      RAISE EXCEPTION 'Entries of the access log are retained for at least 30 days';
    END IF;
    PERFORM FROM userctx.child_read_chain WHERE cid = log_cid FOR UPDATE;
    SELECT sequence, recorded_at INTO kept_sequence, kept_at FROM userctx.child_read
     WHERE cid = log_cid AND recorded_at >= recorded_before ORDER BY sequence LIMIT 1;
    SELECT hash INTO new_base FROM userctx.child_read
     WHERE cid = log_cid AND (kept_sequence IS NULL OR sequence < kept_sequence) ORDER BY sequence DESC LIMIT 1;
    IF new_base IS NULL THEN
      RETURN;
    END IF;
    DELETE FROM userctx.child_read WHERE cid = log_cid AND (kept_sequence IS NULL OR sequence < kept_sequence);
    UPDATE userctx.child_read_chain
       SET first_sequence = coalesce(kept_sequence, last_sequence + 1), base_hash = new_base, oldest_at = kept_at
     WHERE cid = log_cid;
  END $$`,
  `CREATE FUNCTION userctx.erase_child_reads(log_cid uuid) RETURNS void
   LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    IF EXISTS (SELECT FROM userctx.child WHERE cid = log_cid) THEN
      RAISE EXCEPTION 'The access log of a child is erased with the child only';
    END IF;
    DELETE FROM userctx.child_read WHERE cid = log_cid;
    DELETE FROM userctx.child_read_chain WHERE cid = log_cid;
  END $$`,

  // Data exports
  `CREATE TABLE userctx.data_export (
    export_id uuid NOT NULL,
    user_id uuid NOT NULL,
    session_id uuid NOT NULL,
    state text NOT NULL,
    requested_at bigint NOT NULL,
    scope text[] NOT NULL,
    family_ids uuid[] NOT NULL,
    records integer NOT NULL DEFAULT 0,
    files integer NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    size bigint,
    expires_at bigint,
    failure_reason text,
    reported_at bigint,
    PRIMARY KEY (export_id),
    CONSTRAINT data_export_state_check CHECK (state IN ('WAITING', 'RUNNING', 'READY', 'FAILED', 'ENDED')),
    CONSTRAINT data_export_account_fkey FOREIGN KEY (user_id) REFERENCES userctx.account ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX data_export_running ON userctx.data_export (user_id) WHERE state IN ('WAITING', 'RUNNING')`,
  `CREATE INDEX data_export_person ON userctx.data_export (user_id, requested_at)`,
  `CREATE INDEX data_export_expiry ON userctx.data_export (expires_at) WHERE state = 'READY'`,
  `CREATE INDEX data_export_families ON userctx.data_export USING gin (family_ids)
    WHERE state IN ('WAITING', 'RUNNING', 'READY')`,
  `CREATE INDEX data_export_ended ON userctx.data_export (requested_at) WHERE state IN ('FAILED', 'ENDED')`,

  // Payments
  `CREATE TABLE userctx.payment_product (
    product_id text NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    cloud_bytes bigint,
    period_days integer NOT NULL,
    changed_at bigint NOT NULL,
    retired_at bigint,
    PRIMARY KEY (product_id),
    CONSTRAINT payment_product_kind_check
      CHECK ((kind = 'CLOUD_SPACE' AND cloud_bytes > 0) OR (kind = 'WATCH_PLAN' AND cloud_bytes IS NULL)),
    CONSTRAINT payment_product_price_check CHECK (amount > 0 AND period_days > 0)
  )`,
  `CREATE TABLE userctx.payment_order (
    order_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid,
    by text,
    payer_user_id uuid,
    product_id text NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    cloud_bytes bigint,
    period_days integer NOT NULL,
    state text NOT NULL,
    provider text,
    provider_ref text,
    payment_ref text,
    checkout_url text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    paid_at bigint,
    due_at bigint,
    attempts integer NOT NULL DEFAULT 0,
    PRIMARY KEY (order_id),
    CONSTRAINT payment_order_state_check
      CHECK (state IN ('CREATED', 'PENDING', 'PAID', 'FULFILLED', 'FAILED', 'CLOSED', 'REFUNDING', 'REFUNDED')),
    CONSTRAINT payment_order_kind_check
      CHECK ((kind = 'CLOUD_SPACE' AND cloud_bytes > 0) OR (kind = 'WATCH_PLAN' AND cloud_bytes IS NULL)),
    CONSTRAINT payment_order_price_check CHECK (amount > 0 AND period_days > 0)
  )`,
  `CREATE INDEX payment_order_of_family ON userctx.payment_order (family_id, created_at DESC, order_id DESC)`,
  `CREATE INDEX payment_order_of_child ON userctx.payment_order (cid) WHERE cid IS NOT NULL`,
  `CREATE INDEX payment_order_by ON userctx.payment_order (by)`,
  `CREATE INDEX payment_order_payer ON userctx.payment_order (payer_user_id) WHERE payer_user_id IS NOT NULL`,
  `CREATE INDEX payment_order_due ON userctx.payment_order (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX payment_order_age ON userctx.payment_order (created_at) WHERE state IN ('FAILED', 'CLOSED')`,
  `CREATE TABLE userctx.payment_callback (
    provider text NOT NULL,
    callback_id text NOT NULL,
    received_at bigint NOT NULL,
    PRIMARY KEY (provider, callback_id)
  )`,
  `CREATE INDEX payment_callback_age ON userctx.payment_callback (received_at)`,
  `CREATE TABLE userctx.sandbox_payment (
    order_id uuid NOT NULL,
    title text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    state text NOT NULL,
    pays_at bigint,
    PRIMARY KEY (order_id),
    CONSTRAINT sandbox_payment_state_check
      CHECK (state IN ('WAITING', 'DELAYED', 'PAID', 'REFUSED', 'CLOSED', 'REFUNDED')),
    CONSTRAINT sandbox_payment_order_fkey FOREIGN KEY (order_id) REFERENCES userctx.payment_order ON DELETE CASCADE
  )`,
  `CREATE TABLE userctx.entitlement (
    order_id uuid NOT NULL,
    family_id uuid NOT NULL,
    cid uuid,
    product_id text NOT NULL,
    kind text NOT NULL,
    cloud_bytes bigint,
    starts_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    PRIMARY KEY (order_id),
    CONSTRAINT entitlement_period_check CHECK (ends_at > starts_at)
  )`,
  `CREATE INDEX entitlement_of_family ON userctx.entitlement (family_id, ends_at)`,
  `CREATE INDEX entitlement_ended ON userctx.entitlement (ends_at)`,
  `CREATE TABLE userctx.entitlement_version (
    family_id uuid NOT NULL,
    version bigint NOT NULL,
    next_change_at bigint,
    PRIMARY KEY (family_id)
  )`,
  `CREATE INDEX entitlement_version_due ON userctx.entitlement_version (next_change_at)
    WHERE next_change_at IS NOT NULL`,

  // Firmware
  `CREATE TABLE userctx.firmware_image (
    image_id uuid NOT NULL,
    model text NOT NULL,
    version text NOT NULL,
    size bigint NOT NULL,
    digest text NOT NULL,
    signature bytea NOT NULL,
    key_id text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (image_id),
    CONSTRAINT firmware_image_version_key UNIQUE (model, version),
    CONSTRAINT firmware_image_size_check CHECK (size > 0),
    CONSTRAINT firmware_image_signature_length_check CHECK (octet_length(signature) = 64),
    CONSTRAINT firmware_image_state_check CHECK (state IN ('ANNOUNCED', 'READY', 'WITHDRAWN'))
  )`,
  `CREATE TABLE userctx.firmware_group (
    group_id uuid NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (group_id),
    CONSTRAINT firmware_group_name_key UNIQUE (name)
  )`,
  `CREATE TABLE userctx.firmware_group_member (
    group_id uuid NOT NULL,
    did bigint NOT NULL,
    PRIMARY KEY (group_id, did),
    CONSTRAINT firmware_group_member_group_fkey FOREIGN KEY (group_id)
      REFERENCES userctx.firmware_group ON DELETE CASCADE,
    CONSTRAINT firmware_group_member_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  )`,
  `CREATE INDEX firmware_group_member_watch ON userctx.firmware_group_member (did)`,
  `CREATE TABLE userctx.firmware_rollout (
    rollout_id uuid NOT NULL,
    image_id uuid NOT NULL,
    group_id uuid,
    state text NOT NULL,
    waves integer[] NOT NULL,
    current_wave integer NOT NULL DEFAULT 1,
    success_threshold integer NOT NULL,
    error_threshold integer NOT NULL,
    error_action text NOT NULL,
    accepted_errors integer[] NOT NULL,
    resumed_at bigint,
    min_battery integer NOT NULL,
    requires_charging boolean NOT NULL,
    avoids_school_time boolean NOT NULL,
    created_at bigint NOT NULL,
    start_at bigint,
    changed_at bigint NOT NULL,
    PRIMARY KEY (rollout_id),
    CONSTRAINT firmware_rollout_state_check
      CHECK (state IN ('SCHEDULED', 'RUNNING', 'PAUSED', 'FINISHED', 'STOPPED')),
    CONSTRAINT firmware_rollout_wave_check CHECK (current_wave BETWEEN 1 AND cardinality(waves)),
    CONSTRAINT firmware_rollout_image_fkey FOREIGN KEY (image_id) REFERENCES userctx.firmware_image,
    CONSTRAINT firmware_rollout_group_fkey FOREIGN KEY (group_id) REFERENCES userctx.firmware_group
  )`,
  `CREATE INDEX firmware_rollout_of_image ON userctx.firmware_rollout (image_id)`,
  `CREATE INDEX firmware_rollout_of_group ON userctx.firmware_rollout (group_id)`,
  `CREATE INDEX firmware_rollout_age ON userctx.firmware_rollout (created_at DESC, rollout_id DESC)`,
  `CREATE INDEX firmware_rollout_active ON userctx.firmware_rollout (rollout_id)
    WHERE state IN ('SCHEDULED', 'RUNNING')`,
  `CREATE TABLE userctx.firmware_deployment (
    deployment_id uuid NOT NULL,
    rollout_id uuid NOT NULL,
    did bigint NOT NULL,
    wave integer NOT NULL,
    state text NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    changed_at bigint NOT NULL,
    error text,
    PRIMARY KEY (deployment_id),
    CONSTRAINT firmware_deployment_watch_key UNIQUE (rollout_id, did),
    CONSTRAINT firmware_deployment_state_check
      CHECK (state IN ('SCHEDULED', 'DOWNLOADING', 'DOWNLOADED', 'INSTALLING', 'SUCCESS', 'FAILED', 'REJECTED')),
    CONSTRAINT firmware_deployment_rollout_fkey FOREIGN KEY (rollout_id)
      REFERENCES userctx.firmware_rollout ON DELETE CASCADE,
    CONSTRAINT firmware_deployment_watch_fkey FOREIGN KEY (did) REFERENCES userctx.watch ON DELETE CASCADE
  )`,
  `CREATE INDEX firmware_deployment_counts ON userctx.firmware_deployment (rollout_id, wave, state, failures)`,
  `CREATE INDEX firmware_deployment_watch ON userctx.firmware_deployment (did)`,

  // App releases
  `CREATE TABLE userctx.app_release (
    platform text NOT NULL,
    channel text NOT NULL,
    version text NOT NULL,
    minimum_version text,
    percentage integer NOT NULL,
    notes jsonb NOT NULL,
    url text NOT NULL,
    package_sha256 text,
    package_bytes bigint,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    withdrawn_at bigint,
    PRIMARY KEY (platform, channel, version),
    CONSTRAINT app_release_percentage_check CHECK (percentage BETWEEN 0 AND 100),
    CONSTRAINT app_release_package_check CHECK ((package_sha256 IS NULL) = (package_bytes IS NULL))
  )`,

  // Operators
  `CREATE TABLE userctx.operator_account (
    operator_id uuid NOT NULL,
    login_name text NOT NULL,
    roles text[] NOT NULL,
    password_hash text NOT NULL,
    sealed_totp_secret bytea NOT NULL,
    last_totp_step bigint NOT NULL DEFAULT 0,
    credential_version integer NOT NULL DEFAULT 1,
    suspended_at bigint,
    created_at bigint NOT NULL,
    PRIMARY KEY (operator_id),
    CONSTRAINT operator_account_login_name_key UNIQUE (login_name),
    CONSTRAINT operator_account_roles_known_check
      CHECK (cardinality(roles) > 0 AND roles <@ ARRAY['SUPPORT', 'FLEET', 'BILLING', 'ADMIN'])
  )`,
  `CREATE TABLE userctx.operator_recovery_code (
    operator_id uuid NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (operator_id, digest),
    CONSTRAINT operator_recovery_code_account_fkey FOREIGN KEY (operator_id)
      REFERENCES userctx.operator_account ON DELETE CASCADE
  )`,
  `CREATE TABLE userctx.operator_session (
    session_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint,
    PRIMARY KEY (session_id),
    CONSTRAINT operator_session_account_fkey FOREIGN KEY (operator_id)
      REFERENCES userctx.operator_account ON DELETE CASCADE
  )`,
  `CREATE INDEX operator_session_operator ON userctx.operator_session (operator_id)`,
  `CREATE INDEX operator_session_expiry ON userctx.operator_session (expires_at)`,
  `CREATE TABLE userctx.operator_audit_entry (
    entry_id uuid NOT NULL,
    time bigint NOT NULL,
    actor text NOT NULL,
    session_id uuid,
    operation text NOT NULL,
    fields jsonb NOT NULL,
    admitted boolean NOT NULL,
    ip text,
    PRIMARY KEY (entry_id)
  )`,
  `CREATE INDEX operator_audit_entry_time ON userctx.operator_audit_entry (time DESC, entry_id DESC)`,
  `CREATE INDEX operator_audit_entry_actor ON userctx.operator_audit_entry (actor, time DESC, entry_id DESC)`,

  // The monitor of projections reads the unpublished snapshots. Only userctx publishes snapshots.
  `CREATE INDEX outbox_unconfirmed_name ON userctx.outbox (name)
    WHERE confirmed_at IS NULL
      AND name IN ('userctx.family.changed', 'userctx.friendship.changed', 'userctx.child-rules.changed')`,
];
