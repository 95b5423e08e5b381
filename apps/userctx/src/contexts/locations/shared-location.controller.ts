import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SharedLocationDto } from '@family-watch/domain/locations/dto/location-share.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { LocationSharesService } from './location-shares.service.js';
import { renderExpiredLinkPage, PAGE_POLICY, renderSharedLocationPage } from './shared-location-page.js';

/** Headers of every response, which prevent caching, indexing and passing the URL on as a referrer. */
const RESPONSE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  vary: 'accept',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

@ApiTags('Locations')
@Controller('share')
export class SharedLocationController {
  constructor(private readonly shares: LocationSharesService) {}

  @Get(':token')
  @ApiProduces('application/json', 'text/html')
  @Operation({
    id: 'getSharedLocation',
    access: 'public',
    summary: 'Get a shared location',
    description: 'Returns an HTML page to browsers and JSON otherwise.',
    response: SharedLocationDto,
    errors: ['LINK_NOT_FOUND'],
  })
  async show(
    @Param('token') token: string,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SharedLocationDto | string> {
    void reply.headers(RESPONSE_HEADERS);
    if (accept?.includes('text/html') !== true) return this.shares.resolve(token);
    void reply.type('text/html; charset=utf-8');
    try {
      return renderSharedLocationPage(await this.shares.resolve(token), Date.now());
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'LINK_NOT_FOUND') throw error;
      void reply.code(error.status);
      return renderExpiredLinkPage();
    }
  }
}
