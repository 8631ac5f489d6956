// What a browser keeps of this page: how somebody likes it to look. Never what was said; that is the server's.

const PREFIX = "inquest-";

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // A browser that keeps nothing: the page works without.
  }
}
