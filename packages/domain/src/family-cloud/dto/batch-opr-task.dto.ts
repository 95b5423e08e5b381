import {
  ContainsIds,
  IntegerField,
  EnumField,
  ReferenceField,
  ReferenceListField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_FAILURES,
  MAX_BATCH_TASK_ITEMS,
  type BatchTaskState,
  type BatchTaskType,
} from '../contracts/cloud-task.js';
import { FolderPathField, CloudIdField, CONTENT_ID_EXAMPLE, FamilyCloudRequestDto } from './family-cloud-fields.js';

const TASK_EXAMPLE = '9a4b7c1e-2f60-4b55-8a3c-6d1e0f2a3b4c';
/** Maximum length of an id. Validation accepts any text as id, so that a malformed id fails like an unknown id. */
const MAX_ID_LENGTH = 128;

function IdListField(description: string, example: string): PropertyDecorator {
  return ReferenceListField({
    optional: true,
    maxItems: MAX_BATCH_TASK_ITEMS,
    maxLength: MAX_ID_LENGTH,
    description,
    example: [example],
  });
}

export class CreateBatchOprTaskDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @EnumField(BATCH_TASK_TYPE, { description: '1 copy, 2 delete, 3 move' })
  taskType: BatchTaskType;

  @IdListField('Ids of files. Files and folders together: 1 to 1,000 ids.', CONTENT_ID_EXAMPLE)
  contentIDList?: string[];

  @IdListField('Ids of folders, each with everything below it', TASK_EXAMPLE)
  catalogIDList?: string[];

  @ContainsIds()
  @StringField({
    optional: true,
    maxLength: 128,
    description:
      'Target folder of a copy or move, instead of `destPath`; empty: the root folder. Not allowed for delete.',
    example: '',
  })
  destCatalogID?: string;

  @FolderPathField('Target folder of a copy or move as a path, instead of `destCatalogID`')
  destPath?: string;
}

export class BatchOprTaskIdDto {
  @StringField({ example: TASK_EXAMPLE })
  taskID: string;
}

export class QueryBatchOprTaskDetailDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: TASK_EXAMPLE })
  taskID: string;
}

/**
 * Progress of a batch task. `done` and `failed` count files and folders; when the task is finished, their sum is
 * `total`.
 */
export class BatchOprTaskDetailDto {
  @StringField({ example: TASK_EXAMPLE })
  taskID: string;

  @EnumField(BATCH_TASK_TYPE, { description: '1 copy, 2 delete, 3 move' })
  taskType: BatchTaskType;

  @EnumField(BATCH_TASK_STATE, {
    description: 'DONE: finished; some items may have failed. CANCELLED: the creator lost access to the cloud.',
  })
  state: BatchTaskState;

  @IntegerField({
    min: 0,
    description: 'Number of ids in the request, plus the items in the requested folders that are copied or deleted',
  })
  total: number;

  @IntegerField({ min: 0 })
  done: number;

  @IntegerField({ min: 0 })
  failed: number;

  @StringListField({ maxItems: MAX_BATCH_TASK_FAILURES, description: 'The first 1,000 ids of failed items' })
  failureIDList: string[];

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({ nullable: true, description: '`null` while the task is WAITING or RUNNING' })
  finishTime: number | null;
}
