/** Names in reverse DNS: `registry.example.org` → `org.example.registry`. An address stays as it is, in letters, digits, dots and dashes. */
export function reversedName(hostname: string): string {
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith("[");
  return isName ? hostname.split(".").reverse().join(".") : hostname.replace(/[^A-Za-z0-9.-]/g, "-");
}

/** What this registry is called in other protocols: below its own host. */
export const registryName = (publicUrl: string): string =>
  `${reversedName(new URL(publicUrl).hostname)}/bridge`;
