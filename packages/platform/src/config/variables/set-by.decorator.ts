/** Who has a reason to set a variable, in the order of docs/configuration.md. Nobody else needs to know of it. */
export const GROUPS = ['every operator', 'large operators', 'developers'] as const;

export type Group = (typeof GROUPS)[number];

const groups = new Map<string, Group>();

/** Declares who sets the environment variable. A value that nobody has a reason to change is a constant instead. */
export function SetBy(group: Group): PropertyDecorator {
  return (_target, name) => void groups.set(String(name), group);
}

/** Returns who sets the environment variable, or undefined if its declaration does not say so. */
export function groupOf(name: string): Group | undefined {
  return groups.get(name);
}
