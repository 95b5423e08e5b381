/** `{}`: the response of an operation that returns no data. */
export class EmptyDto {}
