/** Connection URLs of a service's database; the superuser's is for queries that only tests need. */
export interface ServiceDatabase {
  readonly url: string;
  readonly migrationUrl: string;
  readonly adminUrl: string;
}

/** The built service, started by tests. */
export interface RunningService {
  readonly url: string;
  /** Directory of its files, such as `sms-outbox.jsonl`. */
  readonly dataDir: string;
  /** SECRET_KEY of its apps, with which tests can forge data. */
  readonly secretKey: string;
  /** Output lines of its processes. */
  readonly logs: string[];
  stop(): Promise<void>;
}
