import { HttpConnection } from './http-connection.js';
import type { ServerEndpoint } from './websocket.js';

const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud/';

/** A file of an upload session that was not uploaded yet. */
export interface PendingUpload {
  contentID: string;
  uploadURL: string;
  tusURL: string;
}

/** A client of the family cloud API for one member of one family, over one connection. */
export class CloudApi {
  private constructor(
    readonly connection: HttpConnection,
    private readonly token: string,
    readonly cloudID: string,
  ) {}

  static async open(
    endpoint: ServerEndpoint,
    { token, cloudID }: { token: string; cloudID: string },
  ): Promise<CloudApi> {
    return new CloudApi(await HttpConnection.open(endpoint), token, cloudID);
  }

  /** Calls an operation and returns the `data` of its response. @throws Error when the status is not 200 */
  async call<Result>(operation: string, body: object): Promise<Result> {
    const response = await this.connection.send(
      {
        method: 'POST',
        path: `${CLOUD_PATH}${operation}`,
        headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ cloudID: this.cloudID, ...body })),
      },
      true,
    );
    const text = response.body.toString();
    if (response.status !== 200) throw new Error(`${operation}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: Result }).data;
  }

  /** Creates an upload session with `count` files of `contentSize` bytes. */
  async createUploads(count: number, contentSize: number): Promise<PendingUpload[]> {
    const uploadContentList = Array.from({ length: count }, (_, index) => ({
      contentName: `file-${index}.bin`,
      contentSize,
    }));
    const { uploadResult } = await this.call<{ uploadResult: { newContentIDList: PendingUpload[] } }>(
      'getFileUploadURL',
      { uploadContentList },
    );
    return uploadResult.newContentIDList;
  }

  async downloadPath(contentID: string): Promise<string> {
    const { downloadURL } = await this.call<{ downloadURL: string }>('getFileDownLoadURL', { contentID });
    return pathOf(downloadURL);
  }

  close(): void {
    this.connection.close();
  }
}

/** Returns the path and query of a URL, as a request line contains them. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
