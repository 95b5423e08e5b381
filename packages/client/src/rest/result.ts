/** What `openapi-fetch` resolves with; `data` is always there, because refusals are thrown. */
interface Result<Body> {
  data?: Body;
}

/** The body of a successful answer: `const { childList } = await dataOf(api.GET('/apis/v2/…'))`. */
export async function dataOf<Body>(call: Promise<Result<Body>>): Promise<Body> {
  const { data } = await call;
  if (data === undefined) throw new TypeError('The service answered without a body');
  return data;
}

/** The content of an answer that comes in an envelope (`/hmd-wx/api/v2/…` and `/app-api/mcdisk/…`). */
export async function contentOf<Data>(call: Promise<Result<{ data: Data }>>): Promise<Data> {
  return (await dataOf(call)).data;
}
