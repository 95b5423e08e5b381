import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { Environment } from './environment.js';

/**
 * Environment variables are missing or invalid. The message names each missing or invalid variable and never contains a
 * value.
 */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** Oldest version of Node with everything that the sources use. npm installs it from package-lock.json. */
const REQUIRED_NODE = 24;

/**
 * Reads the variables of {@link Environment} from `source`. Empty variables count as absent.
 *
 * @param required - optional variables that this process requires
 * @throws EnvironmentError
 */
export function loadEnvironment(
  source: NodeJS.ProcessEnv = process.env,
  required: readonly (keyof Environment)[] = [],
): Environment {
  requireNode();
  const names = declaredVariables();
  const present = Object.fromEntries(Object.entries(source).filter(([name, value]) => names.has(name) && value !== ''));
  const environment = plainToInstance(Environment, present, { exposeDefaultValues: true });
  const problems = validateSync(environment).map(
    (error) => `${error.property}: ${Object.values(error.constraints ?? {}).join(', ')}`,
  );
  const missing = required.filter((name) => environment[name] === undefined).map((name) => `${name} is required`);
  if (problems.length + missing.length > 0) throw new EnvironmentError([...problems, ...missing]);
  return environment;
}

/** Every program reads its environment first, so this is where it notices a version of Node that is too old. */
function requireNode(): void {
  const { node: version } = process.versions;
  if (Number.parseInt(version, 10) >= REQUIRED_NODE) return;
  throw new EnvironmentError([
    `Node ${version} is too old, ${REQUIRED_NODE} is required. Run the program with node_modules/.bin/node, or by its npm script.`,
  ]);
}

/** Returns the names of all variables, which are the properties with a validation decorator; many have no default. */
function declaredVariables(): ReadonlySet<string> {
  const declarations = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
  return new Set(declarations.map(({ propertyName }) => propertyName));
}
