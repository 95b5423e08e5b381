/** What `openapi-fetch` resolves with; `data` is always there, because refusals are thrown. */
interface Result<Body> {
  data?: Body;
}

/** The body of a successful answer: `const { childList } = await responseData(api.GET('/apis/v2/…'))`. */
export async function responseData<Body>(call: Promise<Result<Body>>): Promise<Body> {
  const { data } = await call;
  if (data === undefined) throw new TypeError('The service answered without a body');
  return data;
}

/** The content of an answer that comes in an envelope (`/hmd-wx/api/v2/…` and `/app-api/mcdisk/…`). */
export async function envelopeData<Data>(call: Promise<Result<{ data: Data }>>): Promise<Data> {
  return (await responseData(call)).data;
}
