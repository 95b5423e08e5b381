import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  DataExportSource,
  type ExportDocument,
  type ExportPage,
  type ExportPageRequest,
} from '@family-watch/domain/privacy/contracts/data-export';
import { Environment } from '@family-watch/platform/config/environment';
import { dataExportClient } from '@family-watch/platform/http/internal-operations';
import { ExportSectionsService } from './export-sections.service.js';

/**
 * The data of userctx and the gateway for exports, for mcdisk. The gateway is called directly in standalone, and with
 * internal operations otherwise.
 */
@Injectable()
export class ExportSourceService implements DataExportSource {
  private readonly remoteGateway: DataExportSource | undefined;

  constructor(
    private readonly modules: ModuleRef,
    private readonly sections: ExportSectionsService,
    { GATEWAY_URL, INTERNAL_SECRET }: Environment,
  ) {
    if (GATEWAY_URL !== undefined && INTERNAL_SECRET !== undefined)
      this.remoteGateway = dataExportClient(GATEWAY_URL, INTERNAL_SECRET);
  }

  async listDocuments(userId: string): Promise<ExportDocument[]> {
    const documents = await Promise.all([this.sections.listDocuments(userId), this.gateway.listDocuments(userId)]);
    return documents.flat();
  }

  readPage(request: ExportPageRequest): Promise<ExportPage | null> {
    return (this.sections.hasSection(request.section) ? this.sections : this.gateway).readPage(request);
  }

  /** @throws Error if the gateway is neither in this process nor at GATEWAY_URL */
  private get gateway(): DataExportSource {
    return this.remoteGateway ?? this.modules.get(DataExportSource, { strict: false });
  }
}
