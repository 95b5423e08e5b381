const OPERATIONS_PATH = '/app-api/mcdisk/wristwatch/familyCloud';

/** A response whose body is available as text and parsed as JSON. */
export interface ApiResponse<Data = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  body: { code: number; data: Data; msg: string; reason?: string };
}

/** The upload session that getFileUploadURL returns. */
interface AnnouncedUploads {
  uploadTaskID: string;
  newContentIDList: {
    contentID: string;
    contentName: string;
    isNeedUpload: boolean;
    uploadURL: string;
    tusURL: string;
  }[];
}

/** Calls the operations of the family cloud as one principal. */
export class CloudClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Returns a client of the same principal for the node at `url`. */
  forNode(url: string): CloudClient {
    return new CloudClient(url, this.token);
  }

  async post<Data = Record<string, unknown>>(
    operation: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Data>> {
    const response = await fetch(`${this.url}${OPERATIONS_PATH}/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return toApiResponse<Data>(response);
  }

  async announce(cloudID: string, ...files: { contentName: string; contentSize: number; digest?: string }[]) {
    return this.post<{ uploadResult: AnnouncedUploads }>('getFileUploadURL', { cloudID, uploadContentList: files });
  }

  /** Announces one file. */
  async announceFile(cloudID: string, contentSize: number, digest?: string) {
    const { body, text } = await this.announce(cloudID, { contentName: 'film.mp4', contentSize, digest });
    const [file] = body.data?.uploadResult.newContentIDList ?? [];
    if (!file) throw new Error(`Not announced: ${text}`);
    return { uploadTaskID: body.data.uploadResult.uploadTaskID, ...file };
  }

  /**
   * Announces and uploads one file. Returns its content id.
   * @throws Error when the announcement or the upload is rejected
   */
  async uploadFile(cloudID: string, contentName: string, bytes: Uint8Array): Promise<string> {
    const { body, text } = await this.announce(cloudID, { contentName, contentSize: bytes.length });
    const [file] = body.data?.uploadResult.newContentIDList ?? [];
    if (!file) throw new Error(`Not announced: ${text}`);
    const put = await putBytes(file.uploadURL, bytes);
    if (put.status !== 200) throw new Error(`Not stored: ${put.text}`);
    return file.contentID;
  }

  async createDownloadUrl(cloudID: string, contentID: string): Promise<string> {
    const { body, text } = await this.post<{ downloadURL: string }>('getFileDownLoadURL', { cloudID, contentID });
    if (body.code !== 0) throw new Error(`No link: ${text}`);
    return body.data.downloadURL;
  }

  async download(cloudID: string, contentID: string): Promise<Buffer> {
    return Buffer.from(await (await fetch(await this.createDownloadUrl(cloudID, contentID))).arrayBuffer());
  }

  /** Returns the files of a completed upload session. */
  async completeUpload(cloudID: string, uploadTaskID: string) {
    const request = { cloudID, uploadTaskID };
    const { body, text } = await this.post<{ contentList: { contentSize: number; digest: string; receipt: string }[] }>(
      'completeUpload',
      request,
    );
    if (body.code !== 0) throw new Error(text);
    return body.data.contentList;
  }

  /** Creates a folder and returns its id. */
  async createFolder(cloudID: string, catalogName: string, parentCatalogID = ''): Promise<string> {
    const request = { cloudID, catalogName, parentCatalogID };
    const { body, text } = await this.post<{ catalogID: string }>('createCloudDoc', request);
    if (body.code !== 0) throw new Error(text);
    return body.data.catalogID;
  }

  /** Creates an album and returns its id. */
  async createAlbum(cloudID: string, photoName = 'album'): Promise<string> {
    const { body, text } = await this.post<{ photoID: string }>('createCloudPhoto', { cloudID, photoName });
    if (body.code !== 0) throw new Error(text);
    return body.data.photoID;
  }

  /** Returns the ids of the listed contents. */
  async listIds(cloudID: string, extra: object = {}): Promise<string[]> {
    return (await this.list(cloudID, extra)).cloudContentList.map(({ contentID }) => contentID);
  }

  async list(cloudID: string, extra: object = {}) {
    const { body } = await this.post<{
      totalCount: number;
      cloudContentList: { contentID: string; contentName: string; contentSize: number; contentType: number }[];
    }>('queryContentList', { cloudID, ...extra });
    return body.data;
  }

  async delete(cloudID: string, contentIDList: unknown, extra: object = {}) {
    return this.post<{ deleteContIDList: string[]; failureContIDList: string[] }>('deleteContents', {
      cloudID,
      contentIDList,
      ...extra,
    });
  }
}

/** Returns the status and the reason of a response; the reason is `ok` for a success. */
export function outcomeOf({ status, body }: { status: number; body: { reason?: string } }): [number, string] {
  return [status, body.reason ?? 'ok'];
}

export async function putBytes(
  url: string,
  bytes: Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<ApiResponse<{ contentID: string; contentSize: number; digest: string; receipt: string }>> {
  return toApiResponse(await fetch(url, { method: 'PUT', headers, body: bytes, duplex: 'half' }));
}

async function toApiResponse<Data>(response: Response): Promise<ApiResponse<Data>> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as ApiResponse<Data>['body'],
  };
}
