import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JwksDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { KeyRingService } from './key-ring.service.js';

/** Publishes the keys with which the other apps verify access tokens. */
@ApiTags('Accounts')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keyRing: KeyRingService) {}

  /** The cache TTL is shorter than the time for which a new key is published before its first use. */
  @Get('jwks.json')
  @Header('cache-control', 'public, max-age=300')
  @Operation({
    id: 'getJwks',
    access: 'public',
    summary: 'Get the access token verification keys (RFC 7517)',
    response: JwksDto,
  })
  getJwks(): JwksDto {
    return this.keyRing.published;
  }
}
