import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JwksDto } from '@family-watch/domain/accounts/dto/jwks.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { KeyRingService } from './key-ring.service.js';

/** Where the other apps find the keys that access tokens are verified with. */
@ApiTags('Accounts')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keyRing: KeyRingService) {}

  /** Kept for less than a new key is published ahead of its use. */
  @Get('jwks.json')
  @Header('cache-control', 'public, max-age=300')
  @Operation({
    id: 'getJwks',
    access: 'public',
    summary: 'Keys that verify access tokens (RFC 7517)',
    response: JwksDto,
  })
  getJwks(): JwksDto {
    return this.keyRing.published;
  }
}
