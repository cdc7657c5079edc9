/** A page as it comes and as it is kept, before anybody parses it. */

/** What a page is made from: all that has to be kept of it. */
export interface PageSource {
  url: string;
  status: number;
  /** "text/html" or another textual type, which is shown as it is. */
  mediaType: string;
  /** Encoding that it came in and that its forms are sent in. */
  encoding: string;
  text: string;
  /** The site sent more than is read of a page. */
  cut?: boolean | undefined;
}

/** A site's answer, its bytes as they came. */
export interface PageReply {
  url: string;
  status: number;
  mediaType: string;
  contentType: string;
  body: Uint8Array;
  cut?: boolean | undefined;
}

const MARKUP = /^(?:text\/html|application\/xhtml\+xml)$/;

export const isMarkup = (mediaType: string): boolean => MARKUP.test(mediaType);
