import { Flag, Id, NestedList, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';

/** One sign-in of the caller that still stands. */
export class SessionDto {
  @Id()
  sessionId!: string;

  @Text({
    description: 'How the client named itself at sign-in (User-Agent)',
    nullable: true,
    example: 'FamilyWatch/1.0 (Android 15)',
  })
  client!: string | null;

  @UnixMilliseconds({ description: 'Time of the sign-in' })
  createdAt!: number;

  @UnixMilliseconds({ description: 'Time of the last refresh' })
  lastUsedAt!: number;

  @Flag({ description: 'True for the session of this request', example: true })
  current!: boolean;
}

/** Newest first. */
export class SessionPageDto {
  @NestedList(() => SessionDto, { maxItems: 200 })
  items!: SessionDto[];

  @Text({ nullable: true, description: 'cursor of the next page; null on the last one', example: null })
  nextCursor!: string | null;
}

export class DeleteSessionDto {
  @Reference({ description: 'A session of the caller', example: '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10' })
  sessionId!: string;
}
