import { assert } from '../scene.js';
import type { Scene } from '../scene.js';

export const fileListed: Scene = {
  expectation: 'a file was uploaded and listed',
  async run({ file }) {
    await file.upload();
    assert(await file.isListed(), 'the file is not in the list');
    return `${file.bytes.length} bytes`;
  },
};

export const fileUnchanged: Scene = {
  expectation: 'the file came back byte by byte',
  async run({ file }) {
    assert(await file.isDownloadedUnchanged(), 'other bytes came back');
    return `${file.bytes.length} bytes compared`;
  },
};

export const fileDeleted: Scene = {
  expectation: 'the file was deleted (deleteContents)',
  async run({ file }) {
    assert(await file.delete(), 'the file is not among the deleted');
    assert(!(await file.isListed()), 'the file is still in the list');
    return 'named in deleteContIDList, gone from the list';
  },
};
