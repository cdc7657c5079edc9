/** A registry as agents use it. */
import type { ReadPage, VerdictReply } from "./api.ts";
import {
  type AccessOptions,
  type AccessRequest,
  Client,
  type Listing,
  type OpenOptions,
  type PageOptions,
  type SearchOptions,
} from "./client.ts";
import type { Session } from "./session.ts";
import { type ToolFormat, Tools } from "./tools.ts";
import type { Verification, VerifyOptions } from "./verify/verify.ts";

export class Bridge extends Client {
  /** Searches the sites that the registry verified, the best first. */
  async search(query: string, options?: SearchOptions): Promise<Site[]> {
    const listings = await this.listings(query, options);
    return listings.map((listing) => new Site(this, listing.domain, listing));
  }

  /** A site by its domain; nothing is asked yet. */
  site(domain: string): Site {
    return new Site(this, domain, null);
  }

  /** Tools for a model: definitions in its vendor's format, and what carries its calls out. */
  tools<Format extends ToolFormat>(format: Format): Tools<Format> {
    return new Tools(this, format);
  }
}

/** A site: its domain, and its listing where a search found it. */
export class Site {
  readonly domain: string;
  /** null where no search found it. */
  readonly listing: Listing | null;
  readonly #bridge: Bridge;

  /** @internal */
  constructor(bridge: Bridge, domain: string, listing: Listing | null) {
    this.#bridge = bridge;
    this.domain = domain;
    this.listing = listing;
  }

  async verdict(): Promise<VerdictReply> {
    return this.#bridge.verdict(this.domain);
  }

  /**
   * Checks here, without trusting the registry, that the site is what it is said to be.
   * @throws VerificationError with the step that failed
   */
  async verify(options?: VerifyOptions): Promise<Verification> {
    return this.#bridge.verify(this.domain, options);
  }

  async page(path?: string, options?: PageOptions): Promise<ReadPage> {
    return this.#bridge.page(this.domain, path, options);
  }

  async open(options?: OpenOptions): Promise<Session> {
    return this.#bridge.open(this.domain, options);
  }

  async requestAccess(options: AccessOptions): Promise<AccessRequest> {
    return this.#bridge.requestAccess(this.domain, options);
  }
}
