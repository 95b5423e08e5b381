import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import type { DatabaseAddress } from '@family-watch/platform/database/connection';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';

/** The apps whose schemas a backup contains. */
const APP_DATABASES = [userctxDatabase, mcdiskDatabase, gatewayDatabase] as const;

/** How to reach the data of one app. */
export interface AppAccess {
  declaration: DatabaseDeclaration;
  url: string;
  /** Connection of the owner of the schema. */
  owner: DatabaseAddress;
  secretKey: string | undefined;
}

/** Returns the access to the apps of a deployment whose apps have one database role and one SECRET_KEY. */
export function accessOfStandalone(
  { url, migrationUrl }: { url: string; migrationUrl: string },
  secretKey: string | undefined,
): AppAccess[] {
  const owner = { url: migrationUrl, variableName: 'MIGRATION_DATABASE_URL' };
  return APP_DATABASES.map((declaration) => ({ declaration, url, owner, secretKey }));
}

/**
 * Returns the access to the apps of a deployment with containers, which have a database role and a SECRET_KEY each, from
 * variables with the name of the app as prefix (docker/env/backup.env).
 *
 * @throws EnvironmentError if variables are missing
 */
export function accessOfContainers(variables: NodeJS.ProcessEnv = process.env): AppAccess[] {
  const problems: string[] = [];
  const access = APP_DATABASES.map((declaration) => {
    const { name } = declaration;
    const requireVariable = (variable: string): string => {
      const value = variables[`${name.toUpperCase()}_${variable}`];
      if (!value) problems.push(`${name.toUpperCase()}_${variable} is required`);
      return value ?? '';
    };
    const owner = {
      url: requireVariable('MIGRATION_DATABASE_URL'),
      variableName: `${name.toUpperCase()}_MIGRATION_DATABASE_URL`,
    };
    return { declaration, url: requireVariable('DATABASE_URL'), owner, secretKey: requireVariable('SECRET_KEY') };
  });
  if (problems.length > 0) throw new EnvironmentError(problems);
  return access;
}

/** Returns the SECRET_KEY that authenticates backups. */
export function secretKeyOf(apps: readonly AppAccess[]): string | undefined {
  return apps.find(({ declaration }) => declaration === userctxDatabase)?.secretKey;
}

/** Returns a digest that shows whether two SECRET_KEYs are equal and reveals neither. */
export function fingerprintOf(secretKey: string): string {
  return deriveKey(secretKey, 'backup/key-fingerprint').toString('hex');
}
