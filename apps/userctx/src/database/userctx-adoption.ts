import type { Adoption } from '@family-watch/platform/database/baseline-adoption';

/** How schemas of the last build before 1.0.0 adopt the baseline. */
export const userctxAdoption: Adoption = {
  lastMigration: 'LocationsWithoutFix1790000000430',
  // The triggers served builds that accepted more names of time zones.
  schemaChanges: [
    'DROP TRIGGER replace_time_zone ON userctx.account',
    'DROP TRIGGER replace_time_zone ON userctx.child',
    'DROP FUNCTION userctx.replace_time_zone()',
    'ALTER INDEX userctx.session_standing RENAME TO session_active',
    'ALTER INDEX userctx.child_rules_untold RENAME TO child_rules_unpublished',
  ],
  renamedHandlers: {
    'userctx.child-rules.follow-causes': 'userctx.child-rules.refresh',
    'userctx.fences.follow-child': 'userctx.fences.refresh-schedule',
    'userctx.friends.end-for-child-gone': 'userctx.friends.end-for-deleted-child',
    'userctx.locations.end-unfounded-shares': 'userctx.locations.end-unauthorized-shares',
    'userctx.memberships.forget-child': 'userctx.memberships.clear-child-from-join-requests',
    'userctx.memberships.renew-member-cards': 'userctx.memberships.sync-member-profile',
    'userctx.remote-control.follow-message': 'userctx.remote-control.apply-command-message',
    'userctx.sos.hurry-sms': 'userctx.sos.escalate-undelivered-alert',
    'userctx.watch-settings.keep-answers': 'userctx.watch-settings.record-acknowledgement',
    'userctx.watch-settings.tell-bound-watch': 'userctx.watch-settings.publish-to-bound-watch',
    'userctx.watch-settings.tell-time-zone': 'userctx.watch-settings.publish-time-zone-change',
    'userctx.watches.keep-status': 'userctx.watches.record-status',
  },
};
