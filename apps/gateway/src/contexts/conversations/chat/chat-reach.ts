import { REACH_CHANNEL, refusalOfAnybody, refusalOfMember } from '@family-watch/domain/child-rules/may-reach';
import type { ReachRefusal, ReachRules } from '@family-watch/domain/child-rules/may-reach';
import type { Audible, Listener } from './conversation-cache.js';

/** Who says something, and who would hear it. */
export interface Speech {
  speaker: Listener;
  audible: Audible;
}

/**
 * The children whose rules decide: both of two friends, the one whom a member talks with alone, and of the family's
 * group the one who speaks. What members say to the group is kept for the watch until it shows it after school.
 */
export function ruledChildren({ speaker, audible }: Speech): readonly Listener[] {
  if (audible.audience === 'FAMILY_GROUP') return speaker.cid === null ? [] : [speaker];
  return audible.listeners.filter(({ cid }) => cid !== null);
}

/** The member who talks with a child alone, if this is between such two. */
export function memberAlone({ audible }: Speech): string | undefined {
  if (audible.audience === 'FAMILY_GROUP') return undefined;
  return audible.listeners.find(({ cid }) => cid === null)?.member.slice('user:'.length);
}

/** Why this may not be said now (Unix milliseconds). A child whose rules are not known does not forbid it. */
export function refusalOfSpeech(
  speech: Speech,
  rules: ReadonlyMap<string, ReachRules>,
  now: number,
): ReachRefusal | undefined {
  const userId = memberAlone(speech);
  for (const { cid } of ruledChildren(speech)) {
    const known = rules.get(cid ?? '');
    const refusal = known && refusalBy(known, userId, now);
    if (refusal) return refusal;
  }
  return undefined;
}

function refusalBy(rules: ReachRules, userId: string | undefined, now: number): ReachRefusal | undefined {
  return userId === undefined ? refusalOfAnybody(rules, now) : refusalOfMember(rules, userId, REACH_CHANNEL.CHAT, now);
}
