import {
  BooleanField,
  UuidField,
  NestedListField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';

/** An active session of the caller. */
export class SessionDto {
  @UuidField()
  sessionId!: string;

  @StringField({
    description: 'User-Agent of the client at sign-in',
    nullable: true,
    example: 'FamilyWatch/1.0 (Android 15)',
  })
  client!: string | null;

  @UnixMillisecondsField({ description: 'Time of the sign-in' })
  createdAt!: number;

  @UnixMillisecondsField({ description: 'Time of the last refresh' })
  lastUsedAt!: number;

  @BooleanField({ description: 'True for the session of this request', example: true })
  current!: boolean;
}

/** Sessions, newest first. */
export class SessionPageDto {
  @NestedListField(() => SessionDto, { maxItems: 200 })
  items!: SessionDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one', example: null })
  nextCursor!: string | null;
}

export class DeleteSessionDto {
  @ReferenceField({ description: 'A session of the caller', example: '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10' })
  sessionId!: string;
}
