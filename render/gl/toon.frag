#version 330 core
// MToon 1.0, unlit and plain glTF surfaces (VRMC_materials_mtoon 1.0). Output: sRGB, straight alpha.
in vec3 world_position;
in vec3 world_normal;
in vec2 surface_uv;
#ifdef VERTEX_TINT
in vec4 surface_tint;
#endif
out vec4 fragment;

uniform vec3 camera_position;
uniform vec3 light_direction;
uniform vec3 light_color;
uniform vec3 ambient_color;
uniform float seconds;

// 0 colour, alpha | 1 shade, shading shift | 2 emissive, toony | 3 matcap, shift texture scale
// 4 rim, rim power | 5 outline, rim lift | 6 rim lighting mix, outline lighting mix, cutoff, normal scale
// 7 uv scroll u, scroll v, rotation, outline width
// 8..15 placements (scale u, scale v, offset u, offset v): base shade shift emissive rim normal outline mask
uniform vec4 surface[16];

#ifdef BASE_MAP
uniform sampler2D base_map;
#endif
#ifdef SHADE_MAP
uniform sampler2D shade_map;
#endif
#ifdef SHIFT_MAP
uniform sampler2D shift_map;
#endif
#ifdef EMISSIVE_MAP
uniform sampler2D emissive_map;
#endif
#ifdef RIM_MAP
uniform sampler2D rim_map;
#endif
#ifdef MATCAP_MAP
uniform sampler2D matcap_map;
#endif
#ifdef NORMAL_MAP
uniform sampler2D normal_map;
#endif
#ifdef MASK_MAP
uniform sampler2D mask_map;
#endif
#ifdef TURNED_UV
uniform vec4 turns[2];
#endif

vec2 placed(vec2 uv, int slot) {
    vec4 place = surface[8 + slot];
    vec2 scaled = uv * place.xy;
#ifdef TURNED_UV
    float angle = turns[slot / 4][slot % 4];
    scaled = mat2(cos(angle), -sin(angle), sin(angle), cos(angle)) * scaled;
#endif
    return scaled + place.zw;
}

// sRGB by two square roots instead of a power: at most 0.1 of 255 away from the exact curve.
vec3 encoded(vec3 linear) {
    vec3 c = clamp(linear, 0.0, 1.0);
    vec3 root = sqrt(c);
    vec3 bright = 0.83373614 * root + 0.29812737 * sqrt(root) - 0.05531586 * c - 0.0769086;
    return mix(12.92 * c, bright, step(vec3(0.0031308), c));
}

void main() {
    vec2 uv = surface_uv;
#ifdef MOVING_UV
    float moving = 1.0;
#ifdef MASK_MAP
    moving = texture(mask_map, placed(uv, 7)).b;
#endif
    float turn = surface[7].z * seconds * moving;
    uv = mat2(cos(turn), -sin(turn), sin(turn), cos(turn)) * (uv - 0.5) + 0.5;
    uv += surface[7].xy * seconds * moving;
#endif

    vec4 base = surface[0];
#ifdef VERTEX_TINT
    base *= surface_tint;
#endif
#ifdef BASE_MAP
    vec4 base_texel = texture(base_map, placed(uv, 0));
    base *= base_texel;
#endif
#ifdef ALPHA_MASK
    if (base.a < surface[6].z) discard;
    base.a = 1.0;
#endif
#ifdef ALPHA_OPAQUE
    base.a = 1.0;
#endif
#ifdef OUTLINE_UNLIT
    fragment = vec4(encoded(surface[5].rgb), base.a);
#else
#ifdef KIND_UNLIT
    fragment = vec4(encoded(base.rgb), base.a);
#else

    vec3 n = normalize(world_normal);
    if (!gl_FrontFacing) n = -n;
#ifdef IS_OUTLINE
    n = -n;
#endif
#ifdef NORMAL_MAP
    {   // The tangent frame from screen derivatives: tangents of exporters are not to be trusted.
        vec2 at = placed(uv, 5);
        vec3 px = dFdx(world_position), py = dFdy(world_position);
        vec2 tx = dFdx(at), ty = dFdy(at);
        vec3 across = cross(py, n), along = cross(n, px);
        vec3 tangent = across * tx.x + along * ty.x;
        vec3 bitangent = across * tx.y + along * ty.y;
        float size = max(dot(tangent, tangent), dot(bitangent, bitangent));
        vec3 bump = texture(normal_map, at).xyz * 2.0 - 1.0;
        bump.xy *= surface[6].w;
        float inverse_size = size > 0.0 ? inversesqrt(size) : 0.0;
        n = normalize((tangent * bump.x + bitangent * bump.y) * inverse_size + n * bump.z);
    }
#endif

    vec3 emission = surface[2].rgb;
#ifdef EMISSIVE_MAP
    emission *= texture(emissive_map, placed(uv, 3)).rgb;
#endif

#ifdef KIND_GLTF
    float wrapped = dot(n, light_direction) * 0.5 + 0.5;
    vec3 color = base.rgb * (light_color * wrapped * wrapped + ambient_color) + emission;
#else
    vec3 shade = surface[1].rgb;
#ifdef SHADE_IS_BASE
    shade *= base_texel.rgb;
#else
#ifdef SHADE_MAP
    shade *= texture(shade_map, placed(uv, 1)).rgb;
#endif
#endif
    float shading = dot(n, light_direction) + surface[1].w;
#ifdef SHIFT_MAP
    shading += texture(shift_map, placed(uv, 2)).r * surface[3].w;
#endif
    float soft = max(2.0 - 2.0 * surface[2].w, 1e-4);
    shading = clamp((shading + 1.0 - surface[2].w) / soft, 0.0, 1.0);
    vec3 color = light_color * mix(shade, base.rgb, shading) + ambient_color * base.rgb;
#ifdef HAS_RIM
    vec3 seen_from = normalize(camera_position - world_position);
    float edge = clamp(1.0 - dot(n, seen_from) + surface[5].w, 0.0, 1.0);
    vec3 rim = surface[4].rgb * pow(edge, max(surface[4].w, 1e-5));
#ifdef MATCAP_MAP
    vec3 right = normalize(vec3(seen_from.z, 0.0, -seen_from.x));
    vec3 up = cross(seen_from, right);
    vec2 ball = vec2(dot(right, n), -dot(up, n)) * 0.495 + 0.5;
    rim += surface[3].rgb * texture(matcap_map, ball).rgb;
#endif
#ifdef RIM_MAP
    rim *= texture(rim_map, placed(uv, 4)).rgb;
#endif
    color += rim * mix(vec3(1.0), light_color + ambient_color, surface[6].x);
#endif
    color += emission;
#endif

#ifdef IS_OUTLINE
    color = surface[5].rgb * mix(vec3(1.0), color, surface[6].y);
#endif
    fragment = vec4(encoded(color), base.a);
#endif
#endif
}
