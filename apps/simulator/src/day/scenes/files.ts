import { assert } from '../scene.js';
import type { Scene } from '../scene.js';

export const fileListed: Scene = {
  promise: 'a file was uploaded and listed',
  async play({ file }) {
    await file.upload();
    assert(await file.isListed(), 'the file is not in the list');
    return `${file.bytes.length} bytes`;
  },
};

export const fileUnchanged: Scene = {
  promise: 'the file came back byte by byte',
  async play({ file }) {
    assert(await file.isDownloadedUnchanged(), 'other bytes came back');
    return `${file.bytes.length} bytes compared`;
  },
};

export const fileDeleted: Scene = {
  promise: 'the file was deleted (deleteContents)',
  async play({ file }) {
    assert(await file.delete(), 'the file is not among the deleted');
    assert(!(await file.isListed()), 'the file is still in the list');
    return 'named in deleteContIDList, gone from the list';
  },
};
