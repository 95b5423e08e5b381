import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';

export const DOCKER_DIRECTORY = resolve(import.meta.dirname, '../..');

export interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string; target: string };
  entrypoint?: string[];
  command?: string[];
  env_file?: string | readonly (string | { path: string; required?: boolean })[];
  profiles?: string[];
  networks?: unknown;
  environment?: Record<string, string>;
  healthcheck?: { test?: string[] };
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
  stop_grace_period?: string;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

export const readComposeFile = (name: string): ComposeFile =>
  parse(readFileSync(join(DOCKER_DIRECTORY, name), 'utf8'), { merge: true }) as ComposeFile;

/** Replaces `${NAME:-default}` like `docker compose` with these variables of its environment. */
function interpolate(text: string, variables: NodeJS.ProcessEnv): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, value = '') => variables[name] || String(value));
}

/** Returns the paths of the env files of a service, relative to `docker/`, in the order in which they apply. */
export function envFilesOf({ env_file: files = [] }: ComposeService, variables: NodeJS.ProcessEnv = {}): string[] {
  return [files].flat().map((file) => interpolate(typeof file === 'string' ? file : file.path, variables));
}

/**
 * Returns the environment of the container of a service as `docker compose` creates it: the variables of its env files,
 * then those of `environment`.
 *
 * @param readSecrets - returns the variables of `env/<name>.env`, which make-secrets.mjs writes
 */
export function containerEnvironment(
  service: ComposeService,
  readSecrets: (name: string) => NodeJS.ProcessEnv,
  variables: NodeJS.ProcessEnv = {},
): NodeJS.ProcessEnv {
  const files = envFilesOf(service, variables).map((path) => {
    const [, secrets] = /^env\/(.+)\.env$/.exec(path) ?? [];
    return secrets === undefined ? parseEnv(readFileSync(join(DOCKER_DIRECTORY, path), 'utf8')) : readSecrets(secrets);
  });
  const own = Object.entries(service.environment ?? {}).map(([name, text]) => [name, interpolate(text, variables)]);
  return Object.assign({}, ...files, Object.fromEntries(own)) as NodeJS.ProcessEnv;
}
