/** Connection URLs of a service's database; the superuser's URL is for queries that only tests need. */
export interface ServiceDatabase {
  readonly url: string;
  readonly migrationUrl: string;
  readonly adminUrl: string;
}

/** The built service, which a test has started. */
export interface RunningService {
  readonly url: string;
  /** URLs of the processes that contain the gateway, without the edge. */
  readonly gatewayUrls: readonly string[];
  /** Directory of the service's files, such as `sms-outbox.jsonl`. */
  readonly dataDir: string;
  /** SECRET_KEY of the service's apps, with which tests can forge signatures and seal data. */
  readonly secretKey: string;
  /** Output lines of the service's processes. */
  readonly logs: string[];
  /**
   * Stops the service with SIGTERM.
   *
   * @returns the exit code of each process; null for a process that had to be killed
   */
  stop(): Promise<readonly (number | null)[]>;
}
