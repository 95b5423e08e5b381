import type { RandomChoice } from './random-choice.js';

type Id = string | number;

const MAX_IDS_PER_NAME = 40;
const ID_NAME = /ids?$|^(bind|confirm|family|friend|invite)?code$|token$|^nonce$|version$|^seq$/i;
/** Names of the same id in different operations. */
const SYNONYMS: Readonly<Record<string, string>> = {
  deviceid: 'did',
  ownerid: 'userid',
  cloudid: 'familyid',
  invitecode: 'code',
  sourcecloudid: 'familyid',
  targetcloudid: 'familyid',
  targetcatalogid: 'catalogid',
  parentcatalogid: 'catalogid',
};

/** Ids of the resources of a family, or of operators, by the name of the field, collected from responses. */
export class IdPool {
  private readonly idsByName = new Map<string, Id[]>();

  /** Adds the ids in a response. */
  collect(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.collect(item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) this.add(name, item);
  }

  /** Returns an id for a field with this name; undefined if none is known. */
  choose(name: string, random: RandomChoice): Id | undefined {
    const ids = this.idsByName.get(keyOf(name));
    if (!ids) return undefined;
    return random.pick(ids);
  }

  private add(name: string, value: unknown): void {
    if (Array.isArray(value) && typeof value[0] === 'string')
      for (const item of value) this.add(name.replace(/List$|s$/, ''), item);
    else if (typeof value === 'object') this.collect(value);
    // The code of an envelope is a number, a code of a person a text.
    else if ((typeof value === 'string' || (typeof value === 'number' && name !== 'code')) && ID_NAME.test(name)) {
      const key = keyOf(name);
      const ids = this.idsByName.get(key) ?? [];
      this.idsByName.set(key, ids);
      if (!ids.includes(value) && ids.length < MAX_IDS_PER_NAME) ids.push(value);
    }
  }
}

function keyOf(name: string): string {
  const lower = name.toLowerCase();
  return SYNONYMS[lower] ?? lower;
}
