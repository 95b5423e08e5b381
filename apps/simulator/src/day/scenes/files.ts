import { assert, type Scene } from '../scene.js';

export const fileListed: Scene = {
  expectation: 'the mother uploads a file and finds it in the list',
  async run({ file }) {
    await file.upload();
    assert(await file.isListed(), 'the file is not in the list');
    return `${file.bytes.length} bytes`;
  },
};

export const fileUnchanged: Scene = {
  expectation: 'the downloaded file equals the uploaded one',
  async run({ file }) {
    assert(await file.isDownloadedUnchanged(), 'the downloaded bytes differ');
    return `${file.bytes.length} bytes compared`;
  },
};

export const fileDeleted: Scene = {
  expectation: 'the mother deletes the file (deleteContents)',
  async run({ file }) {
    assert(await file.delete(), 'deleteContents did not return the file');
    assert(!(await file.isListed()), 'the file is still in the list');
    return 'in deleteContIDList and no longer in the list';
  },
};
