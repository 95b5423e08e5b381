import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from '@jest/globals';
import { SwiftServer } from '../../apps/mcdisk/test/support/swift-server.js';
import type { StoredBlob } from '../../apps/mcdisk/src/storage/blobs/blob-store.js';
import { S3BlobStore } from '../../apps/mcdisk/src/storage/blobs/s3/s3-blob-store.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../../apps/standalone/test/support/http-client.js';
import { VALID_CHILD } from '../../apps/standalone/test/support/parent.js';
import { SmsInbox } from '../../apps/standalone/test/support/sms-inbox.js';
import { containerEnvironment, DOCKER_DIRECTORY, readComposeFile } from './support/compose-file.js';
import { Deployment } from './support/deployment.js';
import { needs } from '@family-watch/testing/requirements/needs';

const ROOT = resolve(import.meta.dirname, '../..');
const VARIABLES = { BLOB_STORE: 'object-store' };
const PHONE = { areaCode: '+86', phoneNumber: '13812345678' };

/** Creates an account, a child and its family over the edge. @returns the client and the id of the family's cloud */
async function createFamily(deployment: Deployment): Promise<{ parent: HttpClient; cloudID: string }> {
  const parent = new HttpClient(deployment.url);
  const request = { ...PHONE, scene: 'SIGN_UP' };
  const { challengeId } = await expectOk(parent.post<{ challengeId: string }>('account/sms-code/send', request));
  const code = new SmsInbox(join(deployment.directory, 'userctx')).latestCode(PHONE.phoneNumber, 'SIGN_UP');
  const signUp = parent.post<{ accessToken: string }>('account/sign-up', { challengeId, code, nickname: 'Anna' });
  parent.token = (await expectOk(signUp)).accessToken;
  await expectOk(parent.post('child/create', VALID_CHILD));
  const { items } = await expectOk(parent.get<{ items: { familyId: string }[] }>('family/list'));
  return { parent, cloudID: items[0]?.familyId ?? '' };
}

interface UploadSession {
  data: { uploadResult: { newContentIDList: { contentID: string; uploadURL: string }[] } };
}

needs('swift', 'psql', 'nats-server', 'nginx').test(
  'a file is stored in the bucket, and downloaded through the edge, with the variables of the profile object-store',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fw-object-store-'));
    const secretsDirectory = join(directory, 'env');
    execFileSync(process.execPath, [join(DOCKER_DIRECTORY, 'make-secrets.mjs'), secretsDirectory]);
    const readSecrets = (name: string) => parseEnv(readFileSync(join(secretsDirectory, `${name}.env`), 'utf8'));
    const mcdisk = containerEnvironment(readComposeFile('compose.yml').services['mcdisk']!, readSecrets, VARIABLES);
    const { S3_BUCKET = '', S3_SECRET_ACCESS_KEY = '' } = mcdisk;
    const swift = await SwiftServer.start({ secretAccessKey: S3_SECRET_ACCESS_KEY });
    let deployment: Deployment | undefined;
    try {
      const bucket = await swift.createBucket(S3_BUCKET);
      deployment = await Deployment.start(
        (app, program) => ({ args: [join(ROOT, 'apps', app, 'dist', `${program}.js`)], cwd: ROOT }),
        {
          secretsDirectory,
          variables: VARIABLES,
          // Address and form of the access key id are those of this server; the other variables are those of the profile.
          settings: { mcdisk: { S3_ENDPOINT: bucket.endpoint, S3_ACCESS_KEY_ID: bucket.credentials?.accessKeyId } },
        },
      );
      const { parent, cloudID } = await createFamily(deployment);
      const bytes = Buffer.from('a picture of the family');
      const uploadContentList = [{ contentName: 'a.jpg', contentSize: bytes.length }];
      const session = parent.post<UploadSession>(`${CLOUD_PATH}getFileUploadURL`, { cloudID, uploadContentList });
      const [file] = (await expectOk(session)).data.uploadResult.newContentIDList;
      await expectOk(parent.send('PUT', new URL(file?.uploadURL ?? '').pathname, { body: bytes }));
      const link = await expectOk(
        parent.post(`${CLOUD_PATH}getFileDownLoadURL`, { cloudID, contentID: file?.contentID }),
      );
      const [url = ''] = /http:[^"]*\/blob\/[^"]+/.exec(JSON.stringify(link)) ?? [];
      expect(await (await fetch(url)).text()).toBe(bytes.toString());
      const stored: StoredBlob[] = [];
      for await (const blob of new S3BlobStore(bucket).list()) stored.push(blob);
      expect(stored).toContainEqual(expect.objectContaining({ size: bytes.length }));
    } finally {
      await deployment?.stop();
      await swift.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
