import { describe, expect, test } from '@jest/globals';
import { startAndWaitForExit } from '../support/start-process.js';

const UNREACHABLE_DATABASE_URL = 'postgres://user:s3cretpassw0rd@127.0.0.1:1/family_watch';

/** A failed start prints the reason for the operator and exits with a code other than 0. */
describe('a start with invalid environment variables', () => {
  test('names each invalid variable without its value', async () => {
    const wrong = {
      PORT: '70000',
      DATABASE_URL: 'mysql://x/leaked-value',
      NATS_URL: 'leaked-value',
      SECRET_KEY: 'leaked-value',
      NODE_ENV: 'leaked-value',
      LOG_LEVEL: 'leaked-value',
      SMS_PROVIDER: 'leaked-value',
      WATCH_ENROLMENT: 'leaked-value',
      RATE_LIMIT_REQUESTS: '0',
      HEARTBEAT_INTERVAL: 'leaked-value',
      PUBLIC_URL: 'leaked-value',
      TRUSTED_PROXIES: 'leaked-value!',
      DATABASE_POOL_SIZE: '1',
    };
    const { code, output } = await startAndWaitForExit(wrong);
    expect(code).toBe(1);
    for (const name of Object.keys(wrong)) expect(output).toContain(name);
    expect(output).not.toContain('leaked-value');
    expect(output).not.toMatch(/\n\s+at /);
  });

  test('names the variables of an SMS provider that are missing', async () => {
    const { code, output } = await startAndWaitForExit({ SMS_PROVIDER: 'twilio', SMS_TWILIO_FROM: '+15005550006' });
    expect(code).toBe(1);
    expect(output).toMatch(/SMS_TWILIO_ACCOUNT_SID.*\n.*SMS_TWILIO_AUTH_TOKEN/);
    expect(output).not.toMatch(/SMS_TWILIO_FROM|\n\s+at /);
  });

  test('names SMS_FILE_IN_PRODUCTION when production would write SMS to a file', async () => {
    const { code, output } = await startAndWaitForExit({ NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(output).toContain('SMS_FILE_IN_PRODUCTION=yes');
    expect(output).not.toMatch(/\n\s+at /);
  });

  test('names DATABASE_URL when the database is unreachable, without the password', async () => {
    const { code, output } = await startAndWaitForExit({ DATABASE_URL: UNREACHABLE_DATABASE_URL });
    expect(code).toBe(1);
    expect(output).toContain('DATABASE_URL');
    expect(output).not.toContain('s3cretpassw0rd');
    expect(output).not.toMatch(/\n\s+at /);
  });

  test('names MIGRATION_DATABASE_URL when its database is unreachable', async () => {
    const { code, output } = await startAndWaitForExit({
      DATABASE_URL: UNREACHABLE_DATABASE_URL,
      MIGRATION_DATABASE_URL: UNREACHABLE_DATABASE_URL,
    });
    expect(code).toBe(1);
    expect(output).toContain('MIGRATION_DATABASE_URL');
    expect(output).not.toContain('s3cretpassw0rd');
  });
});
