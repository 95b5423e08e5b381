import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCopyCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { BlobMissingError, StoreUnavailableError, StoreFullError, type ByteRange } from '../blob-store.js';

const CONNECTION_TIMEOUT_MS = 5_000;
/** Timeout of a request, longer than the upload of a segment takes on a slow connection. */
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 4;
const MAX_CONCURRENT_COPIES = 4;

export interface StoredObject {
  name: string;
  /** Bytes. */
  size: number;
  etag: string;
  /** Unix milliseconds. */
  changedAt: number;
}

/** A multipart upload that was started but not completed. */
export interface UnfinishedObject {
  name: string;
  uploadId: string;
  /** Unix milliseconds. */
  changedAt: number;
}

/** Bucket, endpoint and credentials of the object store. */
export interface S3Settings {
  bucket: string;
  /** URL of the store; when absent, the AWS endpoint of the region is used. */
  endpoint?: string;
  region: string;
  /** Access key; when absent, the SDK uses its default credentials, such as a role or a profile. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /** Prefix of every object name; empty, or ending in a slash. */
  prefix: string;
  /** Whether URLs have the form `http://host/bucket/name` instead of `http://bucket.host/name`. */
  forcePathStyle: boolean;
}

/** Object operations of a bucket. Converts S3 errors to errors of the blob store. */
export class S3Bucket {
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor({ bucket, endpoint, region, credentials, forcePathStyle }: S3Settings) {
    this.bucket = bucket;
    this.client = new S3Client({
      region,
      forcePathStyle,
      maxAttempts: MAX_ATTEMPTS,
      // S3 implementations other than AWS do not support the newer checksums. Every request with a body has an MD5,
      // which all implementations verify.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECTION_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
      ...(endpoint !== undefined && { endpoint }),
      ...(credentials && { credentials }),
    });
  }

  /** Checks access to the bucket. Throws the error of the SDK when the bucket cannot be used. */
  async checkAccess(): Promise<void> {
    await this.client.send(new HeadBucketCommand({ Bucket: this.bucket }));
  }

  /** Closes the connections. */
  close(): void {
    this.client.destroy();
  }

  /**
   * Stores an object, which is durable when the promise resolves. The store verifies the MD5 and rejects corrupted
   * bodies.
   */
  async put(name: string, body: Buffer): Promise<void> {
    const md5 = createHash('md5').update(body).digest('base64');
    const input = { Bucket: this.bucket, Key: name, Body: body, ContentLength: body.length, ContentMD5: md5 };
    await this.run(() => this.client.send(new PutObjectCommand(input)));
  }

  /** @throws BlobMissingError */
  async get(name: string, range?: ByteRange): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const { Body } = await this.run(() =>
      this.client.send(new GetObjectCommand({ Bucket: this.bucket, Key: name, Range })),
    );
    if (!Body) throw new StoreUnavailableError();
    return Body as Readable;
  }

  /** @throws BlobMissingError */
  async read(name: string, range: ByteRange): Promise<Buffer> {
    const body = await this.get(name, range);
    return this.run(() => buffer(body));
  }

  /** Returns the size in bytes, or `undefined` when the object does not exist. */
  async sizeOf(name: string): Promise<number | undefined> {
    try {
      const input = { Bucket: this.bucket, Key: name };
      return (await this.run(() => this.client.send(new HeadObjectCommand(input)))).ContentLength ?? 0;
    } catch (error) {
      if (error instanceof BlobMissingError) return undefined;
      throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: prefix });
    for await (const { Contents = [] } of withStoreErrors(pages)) {
      for (const { Key = '', Size = 0, ETag = '', LastModified } of Contents) {
        yield { name: Key, size: Size, etag: ETag, changedAt: LastModified?.getTime() ?? 0 };
      }
    }
  }

  async *listUnfinishedUploads(prefix: string): AsyncGenerator<UnfinishedObject> {
    const input = { Bucket: this.bucket, Prefix: prefix };
    let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
    while (marker) {
      const page = await this.run(() => this.client.send(new ListMultipartUploadsCommand({ ...input, ...marker })));
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
        yield { name: Key, uploadId: UploadId, changedAt: Initiated?.getTime() ?? 0 };
      }
      const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
      marker = IsTruncated ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker } : undefined;
    }
  }

  /** Deletes an object. Idempotent. */
  async remove(name: string): Promise<void> {
    await this.run(() => this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: name })));
  }

  async abortMultipartUpload({ name, uploadId }: Pick<UnfinishedObject, 'name' | 'uploadId'>): Promise<void> {
    const input = { Bucket: this.bucket, Key: name, UploadId: uploadId };
    try {
      await this.run(() => this.client.send(new AbortMultipartUploadCommand(input)));
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
    }
  }

  /**
   * Composes objects into one object within the store, atomically. All sources but the last must have at least 5 MiB.
   * @throws BlobMissingError when a source does not exist or its ETag differs
   */
  async compose(sources: readonly Pick<StoredObject, 'name' | 'etag'>[], target: string): Promise<void> {
    const [only, second] = sources;
    if (!only) throw new TypeError('At least one source is required');
    if (second) await this.composeParts(sources, target);
    else await this.copy(only, target);
  }

  private async copy({ name, etag }: Pick<StoredObject, 'name' | 'etag'>, target: string): Promise<void> {
    const input = { Bucket: this.bucket, Key: target, CopySource: this.copySourceOf(name), CopySourceIfMatch: etag };
    await this.run(() => this.client.send(new CopyObjectCommand(input)));
  }

  private async composeParts(sources: readonly Pick<StoredObject, 'name' | 'etag'>[], target: string): Promise<void> {
    const { UploadId = '' } = await this.run(() =>
      this.client.send(new CreateMultipartUploadCommand({ Bucket: this.bucket, Key: target })),
    );
    try {
      const Parts = await this.copyParts(sources, { target, uploadId: UploadId });
      const input = { Bucket: this.bucket, Key: target, UploadId, MultipartUpload: { Parts } };
      await this.run(() => this.client.send(new CompleteMultipartUploadCommand(input)));
    } catch (error) {
      await this.abortMultipartUpload({ name: target, uploadId: UploadId }).catch(() => undefined);
      throw error;
    }
  }

  private async copyParts(
    sources: readonly Pick<StoredObject, 'name' | 'etag'>[],
    { target, uploadId }: { target: string; uploadId: string },
  ): Promise<{ PartNumber: number; ETag: string }[]> {
    const parts: { PartNumber: number; ETag: string }[] = [];
    for (let first = 0; first < sources.length; first += MAX_CONCURRENT_COPIES) {
      const copies = sources.slice(first, first + MAX_CONCURRENT_COPIES).map(async ({ name, etag }, index) => {
        const PartNumber = first + index + 1;
        const input = { Bucket: this.bucket, Key: target, UploadId: uploadId, PartNumber };
        const source = { CopySource: this.copySourceOf(name), CopySourceIfMatch: etag };
        const { CopyPartResult } = await this.run(() =>
          this.client.send(new UploadPartCopyCommand({ ...input, ...source })),
        );
        return { PartNumber, ETag: CopyPartResult?.ETag ?? '' };
      });
      parts.push(...(await Promise.all(copies)));
    }
    return parts;
  }

  private copySourceOf(name: string): string {
    return `${this.bucket}/${name.split('/').map(encodeURIComponent).join('/')}`;
  }

  private async run<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw s3ErrorToStoreError(error);
    }
  }
}

async function* withStoreErrors<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* pages;
  } catch (error) {
    throw s3ErrorToStoreError(error);
  }
}

const MISSING_OBJECT_ERRORS = ['NoSuchKey', 'NotFound', 'NoSuchUpload'];
const FULL_STORE_ERRORS = ['QuotaExceeded', 'QuotaExceededException', 'XMinioStorageFull', 'InsufficientStorage'];
const STATUS_INSUFFICIENT_STORAGE = 507;

/** The fields of an error of the SDK that `s3ErrorToStoreError` evaluates. */
interface S3Failure {
  name: string;
  $metadata?: { httpStatusCode?: number };
}

function s3StatusOf(error: unknown): number | undefined {
  return (error as S3Failure).$metadata?.httpStatusCode;
}

/** Converts an S3 error to BlobMissingError, StoreFullError, or otherwise StoreUnavailableError. */
function s3ErrorToStoreError(cause: unknown): Error {
  const { name } = cause as S3Failure;
  if (MISSING_OBJECT_ERRORS.includes(name)) return new BlobMissingError('The store does not have this blob', { cause });
  if (FULL_STORE_ERRORS.includes(name) || s3StatusOf(cause) === STATUS_INSUFFICIENT_STORAGE)
    return new StoreFullError({ cause });
  return new StoreUnavailableError({ cause });
}

/**
 * Checks that the bucket exists and can be used, so that a wrong bucket name or access key is detected at startup and
 * not at the first upload.
 * @throws EnvironmentError with the name of the environment variable to check
 */
export async function verifyBucket(settings: S3Settings): Promise<void> {
  const bucket = new S3Bucket(settings);
  try {
    await bucket.checkAccess();
  } catch (error) {
    throw new EnvironmentError([describeProblem(error, settings)]);
  } finally {
    bucket.close();
  }
}

function describeProblem(error: unknown, { endpoint, region }: S3Settings): string {
  switch (s3StatusOf(error)) {
    case 404:
      return 'S3_BUCKET: the store has no bucket of this name';
    case 401:
    case 403:
      return 'S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: the store rejects them, or they do not give access to S3_BUCKET';
    case 301:
    case 400:
      return `S3_REGION: the store reports that S3_BUCKET is not in region ${region}`;
    default: {
      const { name, message } = error as Error;
      return `S3_ENDPOINT: ${endpoint ?? 'the store'} does not respond like an S3 store (${name}: ${message})`;
    }
  }
}
