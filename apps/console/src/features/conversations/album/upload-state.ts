/** A file that the person has chosen to upload. */
export interface QueuedUpload {
  readonly id: string;
  readonly cloudID: string;
  readonly file: File;
  /** Set for a file that is added to an album as well. */
  readonly photoID?: string;
  /** KNOWN: the album has the file already. */
  readonly state: 'WAITING' | 'UPLOADING' | 'DONE' | 'KNOWN' | 'FAILED';
  /** 0 to 1. */
  readonly progress: number;
  readonly error?: unknown;
  /** Set if the browser could not store the file, whose upload then ends with the page. */
  readonly isNotKept?: boolean;
}

export type UploadAction =
  | { readonly type: 'added'; readonly uploads: readonly Pick<QueuedUpload, 'id' | 'cloudID' | 'file' | 'photoID'>[] }
  | { readonly type: 'started' | 'done' | 'known' | 'retried' | 'removed' | 'notKept'; readonly id: string }
  | { readonly type: 'progressed'; readonly id: string; readonly progress: number }
  | { readonly type: 'failed'; readonly id: string; readonly error: unknown }
  /** Hides the finished ones. */
  | { readonly type: 'cleared' };

/** Files that are uploaded at the same time; more would only share the same line. */
const MAX_PARALLEL = 2;

export function uploadReducer(uploads: readonly QueuedUpload[], action: UploadAction): readonly QueuedUpload[] {
  switch (action.type) {
    case 'added':
      return [...uploads, ...action.uploads.map((each) => ({ ...each, state: 'WAITING' as const, progress: 0 }))];
    case 'started':
      return update(uploads, action.id, { state: 'UPLOADING' });
    case 'progressed':
      return update(uploads, action.id, { progress: action.progress });
    case 'done':
      return update(uploads, action.id, { state: 'DONE', progress: 1 });
    case 'known':
      return update(uploads, action.id, { state: 'KNOWN', progress: 1 });
    case 'failed':
      return update(uploads, action.id, { state: 'FAILED', error: action.error });
    case 'retried':
      return update(uploads, action.id, { state: 'WAITING', error: undefined });
    case 'notKept':
      return update(uploads, action.id, { isNotKept: true });
    case 'removed':
      return uploads.filter(({ id }) => id !== action.id);
    case 'cleared':
      return uploads.filter((upload) => !isFinished(upload));
  }
}

/** Returns whether nothing more happens with a file. */
export function isFinished({ state }: Pick<QueuedUpload, 'state'>): boolean {
  return state === 'DONE' || state === 'KNOWN';
}

/** Returns the file to upload next; undefined while enough are being uploaded. */
export function nextUpload(uploads: readonly QueuedUpload[]): QueuedUpload | undefined {
  if (uploads.filter(({ state }) => state === 'UPLOADING').length >= MAX_PARALLEL) return undefined;
  return uploads.find(({ state }) => state === 'WAITING');
}

/** Returns the uploaded part of all bytes, 0 to 1. */
export function totalProgress(uploads: readonly QueuedUpload[]): number {
  const total = uploads.reduce((sum, { file }) => sum + file.size, 0);
  if (total === 0) return 1;
  return uploads.reduce((sum, { file, progress }) => sum + file.size * progress, 0) / total;
}

function update(uploads: readonly QueuedUpload[], id: string, changes: Partial<QueuedUpload>): readonly QueuedUpload[] {
  return uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
}
