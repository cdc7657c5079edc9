/** A row of the specification's tables of operations (section 4) and limits (section 8). */

export interface Parameter {
  type: "string" | "integer" | "number" | "array" | "boolean" | "object";
  required?: true;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

export interface OperationRow {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Exactly the query parameters that the specification names; ours beyond them are in `added`. */
  query?: Record<string, Parameter>;
  body?: Record<string, Parameter>;
  added?: readonly string[];
  /** Members of the body that are ours beyond the specification's. */
  addedBody?: readonly string[];
  status: 200 | 201;
  contentType: string;
  /** Statuses that section 7 names for it. */
  errors?: readonly number[];
}

export const json = { status: 200, contentType: "application/json" } as const;
