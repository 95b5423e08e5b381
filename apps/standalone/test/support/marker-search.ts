import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestService } from './test-service.js';

const SCHEMAS = ['userctx', 'gateway', 'mcdisk'];

/** Unique texts that a test stores through operations, and where the service has kept them. */
export class MarkerSearch {
  /** Markers by a description of the field in which they were stored. */
  private readonly markers = new Map<string, string>();

  /** @param service - the service that is searched */
  constructor(public service: TestService) {}

  get count(): number {
    return this.markers.size;
  }

  /** Returns a new marker. @param value - the marker, for a field that does not accept every text */
  plant(field: string, value = `mk${randomBytes(7).toString('hex')}`): string {
    if (this.markers.has(field)) throw new Error(`Two markers for ${field}`);
    this.markers.set(field, value);
    return value;
  }

  plantPhone(field: string): string {
    return this.plant(field, `13${String(randomInt(10 ** 9)).padStart(9, '0')}`);
  }

  /** Returns the fields whose marker occurs in no table and no file of the service. */
  async findLost(): Promise<string[]> {
    const found = (await this.findAll()).map((place) => place.slice(0, place.indexOf(' in ')));
    return [...this.markers.keys()].filter((field) => !found.includes(field));
  }

  /** Returns every place that contains a marker, as `<field> in <place>`. */
  async findAll(): Promise<string[]> {
    return [...(await this.searchTables()), ...this.searchFiles()];
  }

  /** Returns the markers that the texts contain. */
  findIn(place: string, texts: readonly (string | Buffer)[]): string[] {
    return [...this.markers]
      .filter(([, marker]) => texts.some((text) => text.includes(marker)))
      .map(([field]) => `${field} in ${place}`);
  }

  /** Searches the text of all rows; a binary column is hexadecimal in this text. */
  private async searchTables(): Promise<string[]> {
    const tables = await this.service.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY($1)`,
      [SCHEMAS],
    );
    const places: string[] = [];
    for (const { name } of tables) {
      const rows = await this.service.query<{ marker: string }>(
        `SELECT DISTINCT marker FROM unnest($1::text[]) AS marker JOIN ${name} t
           ON t::text LIKE '%' || marker || '%' OR t::text LIKE '%' || encode(marker::bytea, 'hex') || '%'`,
        [[...this.markers.values()]],
      );
      const stored = new Set(rows.map(({ marker }) => marker));
      for (const [field, marker] of this.markers) if (stored.has(marker)) places.push(`${field} in ${name}`);
    }
    return places;
  }

  /** Searches all files except the SMS file, which replaces the phones that receive the SMS. */
  private searchFiles(): string[] {
    const entries = readdirSync(this.service.dataDir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name !== 'sms-outbox.jsonl')
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        return this.findIn(path.slice(this.service.dataDir.length), [readFileSync(path)]);
      });
  }
}
