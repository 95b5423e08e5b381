/** Result of `openapi-fetch`. `data` is always present, because error responses are thrown. */
interface FetchResult<Body> {
  data?: Body;
}

/**
 * Returns the body of a successful response: `const { childList } = await responseData(api.GET('/apis/v2/…'))`.
 *
 * @throws TypeError if the response has no body
 */
export async function responseData<Body>(call: Promise<FetchResult<Body>>): Promise<Body> {
  const { data } = await call;
  if (data === undefined) throw new TypeError('The service returned no body');
  return data;
}

/** Returns `data` of a response that has an envelope (`/hmd-wx/api/v2/…` and `/app-api/mcdisk/…`). */
export async function envelopeData<Data>(call: Promise<FetchResult<{ data: Data }>>): Promise<Data> {
  return (await responseData(call)).data;
}
