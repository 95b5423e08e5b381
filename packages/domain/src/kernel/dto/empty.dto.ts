/** `{}`: the answer of an operation that has nothing to tell. */
export class EmptyDto {}
