import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import {
  OperatorProductPageDto,
  ProductReferenceDto,
  SetProductDto,
} from '@family-watch/domain/payments/dto/payment.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { ProductsService } from './products.service.js';

/** What families can buy, for operators. */
@ApiTags('Operators: billing')
@Controller('apis/v2/operator/product')
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  @Get('list')
  @Operation({
    id: 'listAllProducts',
    access: { operatorRoles: ['BILLING', 'ADMIN'] },
    summary: 'List all products',
    description: 'Also those that are no longer on sale, in the order of their ids.',
    response: OperatorProductPageDto,
  })
  list(@Query() query: PageQueryDto): Promise<OperatorProductPageDto> {
    return this.products.list(query);
  }

  @Post('set')
  @Operation({
    id: 'setProduct',
    access: {
      operatorRoles: ['BILLING', 'ADMIN'],
      auditedFields: ['productId', 'amount', 'currency', 'cloudBytes', 'periodDays'],
    },
    summary: 'Create or replace a product',
    description: 'The product is on sale at once. Orders keep the price with which they were created.',
    errors: ['LIMIT_REACHED'],
  })
  async set(@Body() request: SetProductDto): Promise<EmptyDto> {
    await this.products.set(request);
    return new EmptyDto();
  }

  @Post('retire')
  @Operation({
    id: 'retireProduct',
    access: { operatorRoles: ['BILLING', 'ADMIN'], auditedFields: ['productId'] },
    summary: 'Take a product off sale',
    description: 'What families have bought stays valid.',
    errors: ['PRODUCT_NOT_FOUND'],
  })
  async retire(@Body() { productId }: ProductReferenceDto): Promise<EmptyDto> {
    await this.products.retire(productId);
    return new EmptyDto();
  }
}
