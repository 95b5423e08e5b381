import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the ranks of a child's contacts unique. Existing contacts with equal ranks are assigned different ranks in the
 * order of the list.
 */
export class ContactOrder1790000000132 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table userctx.contact drop constraint contact_order_key');
    await runner.query('create index contact_child on userctx.contact (cid, sos_order)');
  }
}

const UP = [
  `update userctx.contact set sos_order = ranked.place
     from (select ref_id, row_number() over (partition by cid order by sos_order, created_at, ref_id) as place
             from userctx.contact) ranked
    where ranked.ref_id = contact.ref_id
      and contact.cid in (select cid from userctx.contact group by cid, sos_order having count(*) > 1)`,
  // The constraint is deferred, because inserting a contact between others changes several ranks in one transaction.
  `alter table userctx.contact add constraint contact_order_key unique (cid, sos_order) deferrable initially deferred`,
  'drop index userctx.contact_child',
];
