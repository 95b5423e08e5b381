import { HttpConnection } from './http-connection.js';
import type { ServerEndpoint } from './websocket.js';

const PREFIX = '/app-api/mcdisk/wristwatch/familyCloud/';

export interface AnnouncedFile {
  contentID: string;
  uploadURL: string;
  tusURL: string;
}

/** One member of one family at the family cloud, over one connection. */
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

  /** @throws Error with the answer of whatever was refused */
  async call<Result>(operation: string, body: object): Promise<Result> {
    const answer = await this.connection.send(
      {
        method: 'POST',
        path: `${PREFIX}${operation}`,
        headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ cloudID: this.cloudID, ...body })),
      },
      true,
    );
    const text = answer.body.toString();
    if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: Result }).data;
  }

  /** Announces `count` files of one size. */
  async announce(count: number, contentSize: number): Promise<AnnouncedFile[]> {
    const uploadContentList = Array.from({ length: count }, (_, index) => ({
      contentName: `file-${index}.bin`,
      contentSize,
    }));
    const { uploadResult } = await this.call<{ uploadResult: { newContentIDList: AnnouncedFile[] } }>(
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

/** An address of the service as the request line has it. */
export function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
