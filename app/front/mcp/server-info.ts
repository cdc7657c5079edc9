/** Who answers. */
import { VERSIONS } from "../../../schemas/common.ts";

export const SERVER_INFO = { name: "bridge", title: "Agent-Web Bridge", version: VERSIONS.bridge };
