import {
  IntegerField,
  EnumField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_FAILURES,
  MAX_BATCH_TASK_ITEMS,
} from '../contracts/batch-task.js';
import type { BatchTaskState, BatchTaskType } from '../contracts/batch-task.js';
import { FolderPathField, CloudIdField, CONTENT_ID_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

const TASK_EXAMPLE = '9a4b7c1e-2f60-4b55-8a3c-6d1e0f2a3b4c';
/** Any text of it is an id, so that a malformed one fails like an unknown one. */
const MAX_ID_LENGTH = 128;

function NamedIds(description: string, example: string): PropertyDecorator {
  return StringListField({
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

  @NamedIds('Contents; with the folders at least one and at most 1,000 ids', CONTENT_ID_EXAMPLE)
  contentIDList?: string[];

  @NamedIds('Folders, each with all below it', TASK_EXAMPLE)
  catalogIDList?: string[];

  @StringField({
    optional: true,
    maxLength: 128,
    description: 'Where to copy or move, or by destPath; empty: the root catalog. Never to delete',
    example: '',
  })
  destCatalogID?: string;

  @FolderPathField('The same as a path')
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

/** How far a task has come. `done` and `failed` count contents and folders, and are together `total` at the end. */
export class BatchOprTaskDetailDto {
  @StringField({ example: TASK_EXAMPLE })
  taskID: string;

  @EnumField(BATCH_TASK_TYPE, { description: '1 copy, 2 delete, 3 move' })
  taskType: BatchTaskType;

  @EnumField(BATCH_TASK_STATE, {
    description: 'DONE: nothing more will happen. CANCELLED: who began it lost the right to',
  })
  state: BatchTaskState;

  @IntegerField({ min: 0, description: 'What was named, and what lies in named folders that are copied or deleted' })
  total: number;

  @IntegerField({ min: 0 })
  done: number;

  @IntegerField({ min: 0 })
  failed: number;

  @StringListField({ maxItems: MAX_BATCH_TASK_FAILURES, description: 'What failed: the first 1,000 ids' })
  failureIDList: string[];

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({ nullable: true, description: '`null` while it goes on' })
  finishTime: number | null;
}
