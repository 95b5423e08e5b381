import { EnumField, IntegerField, StringField } from '../../kernel/dto/fields.js';

/** The response that Alibaba Cloud expects to a delivery receipt. */
export class AliyunReceiptResponseDto {
  @IntegerField({ description: '0: the receipts were accepted', example: 0 })
  code!: number;

  @StringField({ example: 'OK' })
  msg!: string;
}

/** The response that Tencent Cloud expects to a delivery receipt. */
export class TencentcloudReceiptResponseDto {
  @IntegerField({ description: '0: the receipts were accepted', example: 0 })
  result!: number;

  @EnumField({ OK: 'OK' }, { example: 'OK' })
  errmsg!: 'OK';
}
