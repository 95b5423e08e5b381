import { describe, expect, test } from '@jest/globals';
import {
  ContainsIds,
  CursorField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  IsPhoneNumberText,
  ReferenceField,
  ReferenceListField,
  StringField,
} from '@family-watch/domain/kernel/dto/fields';
import { validateAs } from './request-validation.pipe.js';

class NoteDto {
  @StringField({ optional: true })
  text?: string;
}

class UpdateDto {
  @StringField()
  name: string;

  @IntegerField({ optional: true })
  rank?: number;

  @StringField({ optional: true, nullMeans: '' })
  label?: string;

  @StringField({ optional: true, nullable: true })
  avatar?: string | null;

  @NestedField(() => NoteDto, { optional: true })
  note?: NoteDto;

  @NestedListField(() => NoteDto, { optional: true, maxItems: 2 })
  notes?: NoteDto[];

  @NameField({ optional: true })
  title?: string;

  @NameField({ optional: true, minLength: 0 })
  nickname?: string;

  @IsPhoneNumberText()
  @StringField({ optional: true })
  phoneNumber?: string;

  @CursorField()
  cursor?: string;

  @ReferenceField({ optional: true })
  id?: string;

  @ReferenceListField({ optional: true, maxItems: 3 })
  ids?: string[];

  @ContainsIds()
  @StringField({ optional: true })
  path?: string;
}

const LOWER = '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de';
const UPPER = LOWER.toUpperCase();
const update = (fields: object) => ({ ...validateAs(UpdateDto, { name: 'Mia', ...fields }) });

describe('null', () => {
  test('in an optional field is the same as an omitted field, also in nested objects', () => {
    expect(update({ rank: null, note: null, notes: [{ text: null }], cursor: null, id: null })).toEqual({
      name: 'Mia',
      notes: [{}],
    });
  });

  test('clears a field that declares its empty value, and remains in a nullable field', () => {
    expect(update({ label: null, avatar: null })).toEqual({ name: 'Mia', label: '', avatar: null });
  });

  test.each([{ name: null }, { notes: [null] }, { ids: [null] }])('is an error in %j', (fields) => {
    expect(() => update(fields)).toThrow(expect.objectContaining({ reason: 'VALIDATION_FAILED' }));
  });
});

test('an empty cursor is the same as an omitted cursor', () => {
  expect(update({ cursor: '' })).toEqual({ name: 'Mia' });
  expect(update({ cursor: 'x' })).toEqual({ name: 'Mia', cursor: 'x' });
});

describe('names', () => {
  test('are converted to NFC', () => {
    expect(update({ title: 'Amélie'.normalize('NFD') })).toEqual({ name: 'Mia', title: 'Amélie'.normalize('NFC') });
  });

  test.each(['', ' ', '\u00a0\u3000', '\u200b', '\u200d\u2060\ufeff', '\u3164', '\u115f\u1160\uffa0'])(
    'without a visible character, such as %j, are rejected as empty',
    (title) => {
      expect(() => update({ title })).toThrow(
        expect.objectContaining({ details: [expect.objectContaining({ field: 'title', rule: 'minLength' })] }),
      );
    },
  );

  test.each(['\u2800', '\u00ad', '\ufe0f', '\u{e0020}\u034f'])(
    'without a visible character, such as %j, are empty where an empty name is accepted',
    (label) => {
      expect(update({ nickname: label })).toMatchObject({ nickname: '' });
    },
  );

  test.each([' Mia ', '\u200fמיה', '👩‍👩‍👧', 'م', '.', '-', '☺️'])(
    'with a visible character, such as %j, are unchanged',
    (title) => {
      expect(update({ title })).toMatchObject({ title });
    },
  );
});

test('phone numbers are converted to ASCII digits without separators', () => {
  expect(update({ phoneNumber: '\u202d138 １２３４-5678\u202c' })).toMatchObject({ phoneNumber: '13812345678' });
});

describe('UUIDs', () => {
  test('in ids, lists of ids and paths of ids are converted to lower case', () => {
    expect(update({ id: UPPER, ids: [UPPER, 'ABC'], path: `root:/${UPPER}/${UPPER}` })).toMatchObject({
      id: LOWER,
      ids: [LOWER, 'ABC'],
      path: `root:/${LOWER}/${LOWER}`,
    });
    expect(update({ id: `user:${UPPER}` })).toMatchObject({ id: `user:${LOWER}` });
  });

  test('in other texts, and texts that only contain a UUID, are unchanged', () => {
    expect(update({ name: UPPER, id: `x${UPPER}` })).toMatchObject({ name: UPPER, id: `x${UPPER}` });
  });
});
