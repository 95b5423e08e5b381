const KEPT = ['NODE_ENV', 'PATH', 'SystemRoot', 'TMPDIR', 'TEMP'];

/**
 * What a program that reads strangers' files is told: none of the service's own variables. They hold its secrets, and
 * decoders have been taken over before.
 */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const entries = KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return Object.fromEntries(entries) as NodeJS.ProcessEnv;
}
