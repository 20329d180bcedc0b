import type { IncomingMessage, RequestListener } from "node:http";

/**
 * Whether a name or address stands for this machine alone.
 *
 * @param host as in a URL or in the setting HOST, without a port
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/** Whether the request comes from a page of this service here. Checking the host name prevents DNS rebinding. */
export function isOwnPage(request: IncomingMessage): boolean {
  return isOwnMachine(request) && namesLoopback(request) && request.headers["sec-fetch-site"] === "same-origin";
}

/** Whether the request comes from this machine, from a program or from a page of any site. */
export function isOwnMachine({ socket }: IncomingMessage): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
}

/** Whether a page, of any site, sends the request: browsers say so. */
export function isFromBrowser({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
}

/** What decides whether a page may send requests to the service. */
export interface Access {
  /** Where the service listens. On another address than loopback, it is called by names that are not known here. */
  host: string;
  /** The origin whose pages may call the API, or `*`; undefined for none. */
  corsOrigin: string | undefined;
}

/**
 * Refuses what a page of another site sends: any website that is open in a browser on this machine can reach loopback,
 * and the local API key is known. A name that is not this machine's is that of a site that has pointed its own name at
 * loopback ("DNS rebinding"). Browsers say whether a page of another site sends a request (W3C, "Fetch Metadata Request
 * Headers"); older ones, such as Safari before 16.4, name its origin with everything but plain GETs. Following a link to
 * a page of the service is not refused.
 *
 * @param next receives all other requests
 */
export function refusingOtherSites(next: RequestListener, { host, corsOrigin }: Access): RequestListener {
  return (request, response) => {
    if (isLoopback(host) && !namesThisMachine(request)) {
      const reason =
        "This service answers only to names of this machine, such as localhost; set HOST to use another one.";
      return refuse(421, reason, request, response);
    }
    const { origin } = request.headers;
    const mayCall = corsOrigin === "*" || (corsOrigin !== undefined && origin === corsOrigin);
    if (isFromOtherSite(request) && !mayCall && !isLink(request)) {
      const reason =
        "Pages of other sites may not call the local service; set CORS_ORIGIN to the origin of one that may.";
      return refuse(403, reason, request, response);
    }
    return next(request, response);
  };
}

/** Refuses everything that comes from a browser, for the servers that only programs use. */
export function refusingBrowsers(next: RequestListener): RequestListener {
  return (request, response) => {
    if (isFromBrowser(request) || !namesLoopback(request)) {
      return refuse(403, "Only programs on this machine may use this server.", request, response);
    }
    return next(request, response);
  };
}

/** A page on another port of the same name is of the same site (HTML Standard, "schemelessly same site"). */
function isFromOtherSite({ headers }: IncomingMessage): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site !== undefined || origin === undefined) {
    return site === "cross-site";
  }
  // An origin that is not told, "null", is that of a sandboxed frame or a file.
  return URL.parse(origin)?.hostname !== URL.parse(`http://${host}`)?.hostname;
}

/** A link, a bookmark or an address that leads to a page, and changes nothing. */
function isLink({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

function namesLoopback({ headers }: IncomingMessage): boolean {
  return isLoopback(URL.parse(`http://${headers.host}`)?.hostname ?? "");
}

/** A name below `localhost` stands for this machine, too, and nobody can register one (RFC 6761, section 6.3). */
function namesThisMachine({ headers }: IncomingMessage): boolean {
  const { hostname = "" } = URL.parse(`http://${headers.host}`) ?? {};
  return isLoopback(hostname) || hostname.endsWith(".localhost");
}

function refuse(status: number, error: string, request: IncomingMessage, response: Parameters<RequestListener>[1]) {
  request.resume(); // an unread body would delay the response
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ success: false, error }));
}
