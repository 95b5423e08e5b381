const ALLOWED_VARIABLES = ['NODE_ENV', 'PATH', 'SystemRoot', 'TMPDIR', 'TEMP'];

/**
 * Returns the environment for programs that read untrusted files. The environment contains none of the service's own
 * variables, which include secrets, because decoders can be exploited.
 */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const entries = ALLOWED_VARIABLES.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return Object.fromEntries(entries) as NodeJS.ProcessEnv;
}
