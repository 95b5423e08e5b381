/** Addresses of the database that a service works on; the superuser's is for what only a test asks. */
export interface ServiceDatabase {
  readonly url: string;
  readonly migrationUrl: string;
  readonly adminUrl: string;
}

/** The built product, started by tests. */
export interface RunningService {
  readonly url: string;
  /** Where it keeps files, such as `sms-outbox.jsonl`. */
  readonly dataDir: string;
  /** SECRET_KEY of its apps, for what only a forger with it could do. */
  readonly secretKey: string;
  /** What its processes have written, line by line. */
  readonly logs: string[];
  stop(): Promise<void>;
}
