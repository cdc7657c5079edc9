/** Which requests of the guarded client are signed, and for whom. */
import { expect, it } from "vitest";
import { admission, fetcherFor, serveHttp } from "./support.ts";

const sign = (authority: string, address: string) => ({ signature: `${authority} at ${address}` });

it("signs each hop of a redirect for its own authority, and leaves the caller's fields in place", async () => {
  const seen: string[] = [];
  const last = await serveHttp((request, response) => {
    seen.push(`${request.headers.signature} ${request.headers.accept}`);
    response.end();
  });
  const first = await serveHttp((request, response) => {
    seen.push(`${request.headers.signature} ${request.headers.accept}`);
    response.writeHead(302, { location: `http://other.test:${last.port}/` }).end();
  });
  const fetcher = fetcherFor({ "shop.test": [first.address], "other.test": [last.address] }, { sign });
  await fetcher.fetch(`http://Shop.test:${first.port}/`, { maxRedirects: 1, headers: { accept: "a/b" } });
  expect(seen).toEqual([
    `shop.test:${first.port} at ${first.address} a/b`,
    `other.test:${last.port} at ${last.address} a/b`,
  ]);
});

it("signs nothing for a host that is refused: private, blocked or not admitted", async () => {
  const signed: string[] = [];
  const fetcher = fetcherFor(
    { "inside.test": ["10.1.2.3"], "blocked.test": ["127.9.9.9"], "waits.test": ["127.9.9.8"] },
    {
      sign: (authority) => {
        signed.push(authority);
        return {};
      },
      blocked: { has: (address) => address === "127.9.9.9" },
    },
  );
  for (const host of ["inside.test", "blocked.test"])
    expect(await fetcher.fetch(`http://${host}/`, { admit: async () => admission() })).toMatchObject({
      failure: "refused_address",
    });
  expect(await fetcher.fetch("http://waits.test/", { admit: async () => undefined })).toMatchObject({
    failure: "not_admitted",
  });
  expect(signed).toEqual([]);
});

it.each(["Signature", "signature-input", "Signature-Agent"])("lets no caller send %s", async (name) => {
  const fetcher = fetcherFor({ "shop.test": ["127.9.9.7"] });
  expect(await fetcher.fetch("http://shop.test/", { headers: { [name]: "x" } })).toMatchObject({
    failure: "protocol_error",
  });
});
