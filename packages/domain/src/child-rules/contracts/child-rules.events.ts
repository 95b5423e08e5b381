import type { ChildRules } from './child-rules.js';

/** Key: `familyId`. */
export interface ChildRulesEvents {
  'userctx.child-rules.changed': ChildRules;
}
