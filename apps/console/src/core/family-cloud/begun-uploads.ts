import { clear, createStore, del, get, set } from 'idb-keyval';

/** An upload that the service has reserved space for. */
export interface BegunUpload {
  readonly key: string;
  readonly cloudID: string;
  readonly uploadTaskID: string;
  readonly contentID: string;
  /** Permits adding the missing bytes of this one file, and nothing else. */
  readonly tusURL: string;
  /** Unix milliseconds. */
  readonly begunAt: number;
}

/** The service deletes an upload a day after its last byte. */
const MAX_AGE_MS = 24 * 60 * 60_000;
const store = createStore('family-watch-uploads', 'begun');

/** Returns the upload of the same file that was begun in this browser. */
export async function findBegunUpload(cloudID: string, file: File): Promise<BegunUpload | undefined> {
  const upload = await get<BegunUpload>(keyOf(cloudID, file), store).catch(() => undefined);
  return upload && upload.begunAt > Date.now() - MAX_AGE_MS ? upload : undefined;
}

export async function rememberUpload(
  cloudID: string,
  file: File,
  fields: Omit<BegunUpload, 'key' | 'begunAt'>,
): Promise<BegunUpload> {
  const upload = { ...fields, key: keyOf(cloudID, file), begunAt: Date.now() };
  // Without storage, for example in a private window, the upload cannot continue after a reload.
  await set(upload.key, upload, store).catch(() => undefined);
  return upload;
}

export async function forgetUpload({ key }: BegunUpload): Promise<void> {
  await del(key, store).catch(() => undefined);
}

/** Forgets the names of all files, after a sign-out. */
export async function forgetAllUploads(): Promise<void> {
  await clear(store).catch(() => undefined);
}

function keyOf(cloudID: string, { name, size, lastModified }: File): string {
  return `${cloudID}:${name}:${size}:${lastModified}`;
}
