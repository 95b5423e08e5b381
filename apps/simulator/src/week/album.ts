import { envelopeData } from '@family-watch/client';
import { Temporal } from 'temporal-polyfill';
import { CLOUD_PATH, findCloudId, uploadFile } from '../people/family-cloud.js';
import type { DemoFamily } from './demo-family.js';
import { drawPicture } from './pictures.js';

/** The pictures are of the days before today, oldest first. */
const [DAYS, PICTURES_PER_DAY] = [8, 5];
const PICTURE_COUNT = DAYS * PICTURES_PER_DAY;
/** Minutes from midnight to the first picture of a day, and between two pictures. */
const [FIRST_PICTURE_MINUTES, MINUTES_BETWEEN_PICTURES] = [490, 137];
/** Number of pictures that are drawn and uploaded at the same time. */
const CONCURRENCY = 4;
/** The first album has all pictures. The second one has every third, which shows kites or balloons. */
const ALBUMS = [
  { photoName: 'Our week', every: 1 },
  { photoName: 'In the park', every: 3 },
] as const;

/** Uploads the pictures of the week, which the mother and both watches took, and puts them into two albums. */
export async function fillAlbum({ mother, mia, leo }: DemoFamily, now: number): Promise<void> {
  const cloudID = await findCloudId(mother.api);
  const uploaders = [mother, mia.watch.connection, leo.watch.connection];
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(mia.child.timeZone).startOfDay();
  const contentIDs: string[] = [];
  const upload = async (number: number): Promise<void> => {
    const minutes = FIRST_PICTURE_MINUTES + (number % PICTURES_PER_DAY) * MINUTES_BETWEEN_PICTURES;
    const capturedAt = today.subtract({ days: DAYS - Math.floor(number / PICTURES_PER_DAY) }).add({ minutes });
    const name = `IMG_${capturedAt.toPlainDate().toString().replaceAll('-', '')}_${number}.jpg`;
    const { api } = uploaders[number % uploaders.length] ?? mother;
    contentIDs[number] = await uploadFile(api, cloudID, { name, bytes: await drawPicture(number, capturedAt) });
  };
  for (let first = 0; first < PICTURE_COUNT; first += CONCURRENCY)
    await Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => upload(first + index)));
  for (const { photoName, every } of ALBUMS) {
    const { photoID } = await envelopeData(
      mother.api.POST(`${CLOUD_PATH}/createCloudPhoto`, { body: { cloudID, photoName } }),
    );
    const contentIDList = contentIDs.filter((_, index) => index % every === every - 1);
    const body = { cloudID, photoID, contentIDList };
    await envelopeData(mother.api.POST(`${CLOUD_PATH}/addPhotoContents`, { body }));
  }
  mother.log(`has ${PICTURE_COUNT} pictures of the week in the family cloud`);
}
