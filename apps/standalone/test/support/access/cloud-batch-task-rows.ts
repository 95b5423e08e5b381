import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { OperationRow } from './operation-row.js';

/** Operations on batch tasks. Creating a task accepts any content ids; foreign and unknown ids fail when it runs. */
export const CLOUD_BATCH_TASK_ROWS: Readonly<Record<string, OperationRow>> = {
  createBatchOprTask: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, contentID, catalogID: destCatalogID }) => ({
      body: { cloudID, taskType: BATCH_TASK_TYPE.COPY, contentIDList: [contentID], destCatalogID },
    }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', catalogID: 'CATALOG_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  queryBatchOprTaskDetail: {
    callerKinds: ['user', 'watch'],
    request: ({ cloudID, taskID }) => ({ body: { cloudID, taskID } }),
    rejections: { cloudID: 'CLOUD_NOT_FOUND', taskID: 'TASK_NOT_FOUND' },
    guardian: 'TASK_NOT_FOUND',
    watch: 'TASK_NOT_FOUND',
  },
};
