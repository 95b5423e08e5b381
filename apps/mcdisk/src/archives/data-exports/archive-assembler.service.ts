import { Inject, Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import {
  EXPORT_PAGE_SIZE,
  type DataExportSource,
  type ExportDocument,
  type ExportPage,
} from '@family-watch/domain/privacy/contracts/data-export';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { parsePrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DATA_EXPORT_SOURCE, McdiskChildReads } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { hasRight, type CloudActor } from '../../clouds/cloud-actor.js';
import { AlbumRepository } from '../../files/albums/album.repository.js';
import { BlobMissingError, BlobStore } from '../../storage/blobs/blob-store.js';
import { toPathSegment, type ArchiveWriter } from './archive-writer.js';
import { ExportArchiveRepository, type ContentPosition, type ExportedContent } from './export-archive.repository.js';

/** A file of the archive. */
interface ListedFile {
  blobKey: string;
  path: string;
}

const NO_RECORDS: ExportPage = { records: [], nextCursor: null };
const FIRST_POSITION: ContentPosition = { blobKey: MIN_UUID, contentId: MIN_UUID };

/**
 * Writes everything that a person may see into an archive: the documents of userctx and the gateway, and the contents,
 * albums and files of the family clouds. The rights are checked again for each page.
 */
@Injectable()
export class ArchiveAssemblerService {
  constructor(
    @Inject(DATA_EXPORT_SOURCE) private readonly source: DataExportSource | null,
    private readonly access: CloudAccessService,
    private readonly archives: ExportArchiveRepository,
    private readonly albums: AlbumRepository,
    private readonly store: BlobStore,
    private readonly childReads: McdiskChildReads,
  ) {}

  /** False if this process is not configured to call userctx. */
  get isAvailable(): boolean {
    return this.source !== null;
  }

  async writeAll(userId: string, writer: ArchiveWriter): Promise<void> {
    if (!this.source) throw new Error('The URL of userctx is not configured');
    for (const document of await writer.unlessAborted(this.source.listDocuments(userId)))
      await this.writeDocument(userId, document, writer);
    for (const actor of await this.findReaders(userId)) await this.writeCloud(actor, writer);
    writer.end();
  }

  /** Returns the bytes of the files that the person may see. */
  async sumFileSizes(userId: string): Promise<number> {
    let bytes = 0;
    for (const actor of await this.findReaders(userId)) bytes += await this.archives.sumVisibleFiles(actor);
    return bytes;
  }

  private async findReaders(userId: string): Promise<CloudActor[]> {
    const actors = await this.access.findAll({ type: 'user', id: userId, sessionId: '' });
    return actors.filter((actor) => hasRight(actor, CLOUD_RIGHT.READ));
  }

  /** Adds a document, unless the person may not read it. */
  private async writeDocument(userId: string, document: ExportDocument, writer: ArchiveWriter): Promise<void> {
    const { path, section, id } = document;
    const readPage = async (cursor: string | null) =>
      (await this.source?.readPage({ userId, section, id, cursor })) ?? null;
    const first = await writer.unlessAborted(readPage(null));
    if (first) await writer.addDocument(path, first, readPage);
  }

  private async writeCloud(actor: CloudActor, writer: ArchiveWriter): Promise<void> {
    const directory = `families/${actor.cloudId}/cloud`;
    const folderPaths = pathsOf(await this.archives.findFolders(actor.cloudId));
    // With their ids, files have different paths whatever their names become, also where case does not count.
    const pathOf = ({ contentId, name, parentFolderId }: ExportedContent) =>
      `files/${folderPaths(parentFolderId)}${contentId}-${toPathSegment(name)}`;
    let listed: ListedFile | undefined;
    let after: ContentPosition | null = FIRST_POSITION;
    const readContents = async (): Promise<ExportPage> => {
      const contents: ExportedContent[] = after ? await this.findContents(actor, after) : [];
      after = nextPositionOf(contents);
      const records = contents.map((content) => {
        if (listed?.blobKey !== content.blobKey) listed = { blobKey: content.blobKey, path: pathOf(content) };
        return toRecord(content, listed.path);
      });
      return { records, nextCursor: after && after.contentId };
    };
    await writer.addDocument(`${directory}/contents.json`, await readContents(), readContents);
    await writer.addDocument(`${directory}/albums.json`, (await this.readAlbums(actor, 0)) ?? NO_RECORDS, (offset) =>
      this.readAlbums(actor, Number(offset)),
    );
    const incomplete: object[] = [];
    // Copies of a file have the same blob and follow each other. The archive contains the bytes once.
    let written: (ListedFile & { size: number | null }) | undefined;
    for (let position: ContentPosition | null = FIRST_POSITION; position;) {
      const contents: ExportedContent[] = await this.findContents(actor, position);
      for (const content of contents) {
        const { contentId: contentID, size: contentSize, blobKey } = content;
        if (written?.blobKey !== blobKey) {
          const path = pathOf(content);
          written = { blobKey, path, size: await this.writeFile(actor, content, `${directory}/${path}`, writer) };
        }
        const { path, size: exportedSize } = written;
        if (exportedSize !== contentSize)
          incomplete.push({ contentID, contentSize, exportedSize, path: exportedSize === null ? null : path });
      }
      position = nextPositionOf(contents);
    }
    if (incomplete.length > 0)
      await writer.addDocument(`${directory}/incomplete-files.json`, { records: incomplete, nextCursor: null }, () =>
        Promise.resolve(null),
      );
  }

  /** Returns the next page of visible contents; an empty page if the person may not read the cloud any more. */
  private async findContents(actor: CloudActor, after: ContentPosition): Promise<ExportedContent[]> {
    const reader = await this.findReader(actor);
    return reader ? this.archives.findContents(reader, after, EXPORT_PAGE_SIZE) : [];
  }

  /** Returns the current actor; undefined if the person may not read the cloud any more. */
  private async findReader({ cloudId, principal }: CloudActor): Promise<CloudActor | undefined> {
    const current = await this.access.find(cloudId, parsePrincipalKey(principal));
    return current && hasRight(current, CLOUD_RIGHT.READ) ? current : undefined;
  }

  private async readAlbums(actor: CloudActor, offset: number): Promise<ExportPage | null> {
    const reader = await this.findReader(actor);
    if (!reader) return null;
    const { cloudId, visibility } = reader;
    const albums = await this.albums.list(cloudId, { visibility, limit: EXPORT_PAGE_SIZE, offset });
    const records: object[] = [];
    for (const { albumId: photoID, name: photoName, createdAt: createTime, updatedAt: lastUpdateTime } of albums) {
      const contentIDList = await this.albums.listContentIds(cloudId, photoID, visibility);
      records.push({ photoID, photoName, createTime, lastUpdateTime, contentIDList });
    }
    const nextCursor = albums.length === EXPORT_PAGE_SIZE ? String(offset + EXPORT_PAGE_SIZE) : null;
    return { records, nextCursor };
  }

  /**
   * Returns the number of exported bytes, which differs from the size of a damaged file; null if the store does not have
   * the file. fsck reports both.
   */
  private async writeFile(
    { principal }: CloudActor,
    { blobKey, size, createdAt, cid }: ExportedContent,
    path: string,
    writer: ArchiveWriter,
  ): Promise<number | null> {
    try {
      const source = await this.store.open(blobKey);
      if (cid !== null) this.childReads.recordCaller(parsePrincipalKey(principal), cid, 'MEDIA');
      return await writer.addFile(path, source, { size, modifiedAt: createdAt });
    } catch (error) {
      if (error instanceof BlobMissingError) return null;
      throw error;
    }
  }
}

function nextPositionOf(contents: readonly ExportedContent[]): ContentPosition | null {
  return contents.length === EXPORT_PAGE_SIZE ? (contents.at(-1) ?? null) : null;
}

function toRecord(content: ExportedContent, path: string): object {
  return {
    contentID: content.contentId,
    contentName: content.name,
    contentSize: content.size,
    contentType: content.type,
    mediaType: content.mediaType,
    digest: content.digest,
    parentCatalogID: content.parentFolderId ?? '',
    uploader: content.uploader,
    createTime: content.createdAt,
    lastUpdateTime: content.updatedAt,
    shottime: content.capturedAt,
    path,
  };
}

/** Returns a function that returns the path of a folder, which ends with a slash; empty for the root folder. */
function pathsOf(folders: readonly FolderEntity[]): (folderId: string | null) => string {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  return (folderId) =>
    (byId.get(folderId ?? '')?.pathIds ?? []).map((id) => `${toPathSegment(byId.get(id)?.name ?? id)}/`).join('');
}
