/** Another app does not respond, or responds with an error. */
export class InternalCallError extends Error {
  override readonly name = 'InternalCallError';
}
